// Compiled, not run.
import { RobomataError, Robots, Rules, Verdicts, diff, lint } from 'robomata';
import type { Explanation, Finding, Verdict } from 'robomata';
import { load } from 'robomata/load';
import robotsParser from 'robomata/robots-parser';
import type { Robot } from 'robomata/robots-parser';
import { Robots as Everything } from 'robomata/permissions';

const robots: Robots = Robots.parse(new Uint8Array(), { dialect: 'google', status: 'no-response' });
const rules: Rules = robots.forAgent('ExampleBot');
const verdict: Verdict = rules.check('/');
const line: number | null = verdict.line;
const verdicts: Verdicts = rules.checkBatch({ bytes: new Uint8Array(), offsets: new Uint32Array([0]) });
const explanation: Explanation = robots.explain('/', 'ExampleBot');
const findings: Finding[] = lint('', { dialect: 'yandex' });
const complete: boolean = diff('', '', 'ExampleBot').is_complete;
const everything: Everything = Everything.parse('');
const usage: string | undefined = everything.permissions('/', 'ExampleBot')[0]?.usage;
const library = load(new Uint8Array());
const mayFetch: boolean = library.Robots.parse('').isAllowed('/', 'ExampleBot');
const isError = (error: unknown): boolean => error instanceof RobomataError && error.code === 'trap';

// @ts-expect-error: the crawler is missing
robots.check('/');
// @ts-expect-error: there is no such dialect
Robots.parse('', { dialect: 'bing' });
// @ts-expect-error: only of robomata/permissions
robots.permissions('/', 'ExampleBot');

const parsed: Robot = robotsParser('https://example.com/robots.txt', '');
const isAllowed: boolean | undefined = parsed.isAllowed('https://example.com/');
const delay: number | undefined = parsed.getCrawlDelay('ExampleBot');

export { complete, delay, explanation, findings, isAllowed, isError, line, mayFetch, usage, verdicts };
