// Everything that `robomata/permissions` exports and more: pages, drawings, and what applies after a failed fetch.

import { fullLibrary } from './load.js';
import type { RobotsWithPermissions } from './load.js';
import { moduleBytes } from './module.js';
import text from './playground.wasm.js';

export { RobomataError, Rules, Verdicts } from './load.js';
export type * from './load.js';

export type Robots = RobotsWithPermissions;
export const { Robots, lint, diff, checkExpectations, standing } = fullLibrary(() => moduleBytes(text));
