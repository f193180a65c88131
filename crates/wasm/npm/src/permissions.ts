// Everything that `robomata` exports, with usages besides crawling and international hosts.

import { RobotsWithPermissions, library } from './load.js';
import { moduleBytes } from './module.js';
import text from './permissions.wasm.js';

export { RobomataError, Rules, Verdicts } from './load.js';
export type * from './load.js';

export type Robots = RobotsWithPermissions;
export const { Robots, lint, diff } = library(() => moduleBytes(text), RobotsWithPermissions);
