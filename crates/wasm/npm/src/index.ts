// Checks, explanations, changes and mistakes.

import { Engine } from './engine.js';
import { Robots as Type, library } from './load.js';
import { moduleBytes } from './module.js';
import text from './robomata.wasm.js';

export { RobomataError, Rules, Verdicts } from './load.js';
export type * from './load.js';

export type Robots = Type;
export const { Robots, lint, diff } = library(new Engine(() => moduleBytes(text)), Type);
