// A module as a string: each character is a byte. Compressed, it is as small as the module, and it needs neither files nor
// the network.

/** The bytes of a module. */
export function moduleBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
