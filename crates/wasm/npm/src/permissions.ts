// Everything that `robomata` exports and more: usages besides crawling, expectations, and international hosts.

import { fullLibrary } from './load.js';
import type { RobotsWithPermissions } from './load.js';
import { moduleBytes } from './module.js';
import text from './permissions.wasm.js';

export { RobomataError, Rules, Verdicts } from './load.js';
export type * from './load.js';

export type Robots = RobotsWithPermissions;
export const { Robots, lint, diff, checkExpectations } = fullLibrary(() => moduleBytes(text));
