// Written by crates/wasm/build.sh: the bytes of the module.
declare const text: string;
export default text;
