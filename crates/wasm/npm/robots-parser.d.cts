import { default as parser, Robot as Type } from './dist/cjs/robots-parser.js';

declare function robotsParser(...args: Parameters<typeof parser>): Type;
declare namespace robotsParser {
  export type Robot = Type;
  export { robotsParser as default };
}
export = robotsParser;
