// How the file was fetched, and what applies after that.

import { plural, shown } from './dom.js';
import type { Dialect, FetchStatus, FullLibrary, Situation, Standing } from './engine.js';
import type { State } from './state.js';

export const STATUSES: readonly (readonly [FetchStatus, string])[] = [
  [200, '200 OK'],
  [301, '301, not followed'],
  ['too-many-redirects', 'too many redirects'],
  [403, '403 Forbidden'],
  [404, '404 Not Found'],
  [429, '429 Too Many Requests'],
  [503, '503 Unavailable'],
  ['no-response', 'timeout'],
];

/** The most hours ago. Times before 1994 cannot be judged, since no robots.txt is older. */
export const MOST_HOURS = 250_000;

/** The URL of the file. What applies depends on it only where it is no URL of a robots.txt. */
const URL_OF_FILE = 'https://example.com/robots.txt';

/** The fetches as they were entered, at an instant in seconds since 1970. */
export function situationOf({ status, dialect, age, failing, good }: State, now: number): Situation {
  const ago = (hours: number | null): number => now - Math.round((hours ?? 0) * 3600);
  const at = ago(age);
  const since = status === 200 || failing === null ? undefined : Math.min(at, ago(failing));
  const copied = status === 200 || good === null ? undefined : Math.min(since ?? at, ago(good));
  return { url: URL_OF_FILE, status, at, now, failing_since: since, good_copy_at: copied, dialect };
}

/**
 * A result of a fetch, alone, after which the same applies in a dialect as after these fetches: the latest one, unless
 * what was before counts, too.
 */
export function effectiveStatus(library: FullLibrary, situation: Situation, dialect: Dialect): FetchStatus {
  const { status, now } = situation;
  const { applies } = library.standing({ ...situation, dialect });
  if (applies === 'rules' || applies === 'last-good-copy') return 200;
  const alone = (candidate: FetchStatus): Standing['applies'] =>
    library.standing({ url: URL_OF_FILE, status: candidate, at: now, now, dialect }).applies;
  // A redirect without a target leaves it unknown what applies.
  const isRedirect = typeof status === 'number' && status >= 300 && status <= 399;
  const candidates: FetchStatus[] = [...(isRedirect ? [] : [status]), 404, 'no-response', 403];
  return candidates.find((candidate) => alone(candidate) === applies) ?? 301;
}

const APPLIES: Record<Standing['applies'], string> = {
  rules: 'the rules of the file apply',
  'last-good-copy': 'the last good copy applies, for which the file in the editor is taken',
  unrestricted: 'everything is allowed',
  restricted: 'nothing is allowed',
  deferred: 'a crawler waits',
  unknown: 'it is unknown what applies',
};

/** What applies after an attempt to fetch the file, and until when. */
export function standing({ applies, until, refetch, text }: Standing, now: number): string {
  const after = (time: number): string => (time <= now ? 'now' : `in ${span(time - now)}`);
  const end = until === null ? '' : until <= now ? ' That has ended.' : ` That ends in ${span(until - now)}.`;
  const why = shown(text.charAt(0).toUpperCase() + text.slice(1));
  return `${why}: ${APPLIES[applies]}.${end} Fetch again ${after(refetch)}.`;
}

/** A length of time in the largest unit that suits it. */
function span(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const;
  const [unit, length] = units.find(([, length]) => seconds >= 2 * length) ?? (['second', 1] as const);
  return plural(Math.round(seconds / length), unit);
}
