// Makes the parts of the page, and connects them. Each part owns its state, and shows it.

import { download, find, messageOf, plural } from './dom.js';
import { Editor } from './editor.js';
import { CUT, library } from './engine.js';
import { Findings } from './findings.js';
import { AtHand } from './hand.js';
import { Inputs } from './inputs.js';
import { lineEnds } from './lines.js';
import * as report from './report.js';
import { Runs } from './runs.js';
import { Tabs } from './tabs.js';
import { onClick, say } from './tasks.js';
import { Urls } from './urls.js';

async function open(): Promise<void> {
  const packed = find('module');
  const engine = await library(packed.textContent ?? '');
  const nonce = document.body.dataset['nonce'] ?? '';

  const editor: Editor = new Editor({
    parent: find('editor'),
    label: 'robots.txt',
    nonce,
    changed: (body) => inputs.set({ body }),
    moved: (line) => urls.moved(line),
    urlsOf: (line) => runs.current?.urlsOf(line, 12) ?? { urls: [], count: 0 },
  });
  const inputs: Inputs = new Inputs({
    file: editor,
    before: new Editor({
      parent: find('before'),
      label: 'Live robots.txt',
      nonce,
      changed: (before) => inputs.set({ before }),
    }),
    changed: () => runs.plan(),
    changedTab: () => tabs.plan(),
  });
  const { state } = inputs;
  const runs: Runs = new Runs(engine, () => inputs.checked(), show);
  const findings = new Findings(runs, state, editor, () => urls.showLine());
  const hand = new AtHand(runs, editor, () => tabs.follow());
  const urls: Urls = new Urls(runs, findings, hand, editor);
  const tabs = new Tabs(runs, state, hand, editor);

  /** Shows the answers, or none and why. */
  function show(why: string | null): void {
    const run = runs.current;
    urls.show();
    hand.show();
    if (run === undefined) {
      findings.clear();
      tabs.clear();
      showFile('', `Nothing can be judged: ${why}`, true);
      return;
    }
    inputs.markAgents(run.columns);
    const { bytes, isCut } = run.copy.body;
    const cut = isCut && bytes.length > CUT ? ', cut at 500 KiB' : '';
    const wrong = run.columns.find(({ error, isNoCrawler }) => error !== null && !isNoCrawler)?.error;
    showFile(
      `${plural(lineEnds(state.body) + 1, 'line')}, ${bytes.length.toLocaleString('en')} bytes${cut}`,
      wrong ? `The file cannot be read: ${wrong}` : run.situation,
      Boolean(wrong),
    );
    findings.plan();
    tabs.plan();
  }

  function showFile(facts: string, situation: string | null, isError: boolean): void {
    find('file-facts').textContent = facts;
    find('failure').hidden = state.status === 200;
    const text = find('situation');
    text.hidden = situation === null;
    text.classList.toggle('error', isError);
    text.textContent = situation;
  }

  const reported = (): report.Report => {
    const run = runs.current;
    if (runs.isJudging) throw new Error('the URLs are still being judged (wait a moment)');
    if (run === undefined) throw new Error('nothing was judged (correct what the page says about the fetch)');
    return {
      state,
      situation: run.situation,
      urls: run.list.urls,
      columns: run.columns,
      findings: findings.lint(run),
      changes: run.changesFrom(state.before),
      expectations: run.expectations(state.expectations),
    };
  };
  const save = (id: string, name: string, type: string, make: (of: report.Report) => string): void =>
    onClick(id, () => download(name, type, make(reported())));
  save('save-markdown', 'robots-report.md', 'text/markdown', report.markdown);
  save('save-json', 'robots-report.json', 'application/json', report.json);

  packed.remove();
  await inputs.start();
}

open().catch((error: unknown) => {
  say(`The page cannot start: ${messageOf(error)} (it needs a browser of 2024 or later)`, true);
});
