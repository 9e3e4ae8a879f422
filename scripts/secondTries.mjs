/**
 * Keeps the list of tests that failed first and passed in a second try. `NEARGLOT_SECOND_TRIES` names its file, which
 * CI keeps between runs; `test/.work/secondTries.json` holds it otherwise.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** How many runs are remembered. */
const maxRuns = 10;

const { NEARGLOT_SECOND_TRIES, NEARGLOT_RUN, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, CI } = process.env;
const listFile = NEARGLOT_SECOND_TRIES || join(root, 'test/.work/secondTries.json');
/** The scripts of one run of CI write into one entry. */
const thisRun =
	NEARGLOT_RUN ||
	(GITHUB_RUN_ID ? `${GITHUB_RUN_ID}.${GITHUB_RUN_ATTEMPT}` : new Date().toISOString());

/**
 * @param {{ run: string, tests: string[] }[]} list runs, oldest first
 * @param {string[]} tests what needed a second try now
 * @returns the list with them, and those of them that are in it more than once
 */
export function withSecondTries(list, run, tests) {
	const others = list.filter((entry) => entry.run !== run);
	const here = list.find((entry) => entry.run === run)?.tests ?? [];
	const next = [...others, { run, tests: [...here, ...tests] }].slice(-maxRuns);
	const all = next.flatMap((entry) => entry.tests);
	const again = tests.filter((test) => all.indexOf(test) !== all.lastIndexOf(test));
	return { list: next, again: [...new Set(again)] };
}

/**
 * Adds what needed a second try to the list and says what it needed one for twice.
 * @param {string[]} tests `path: name`
 * @returns how many of them fail the run: in CI, those that needed one twice
 */
export function recordSecondTries(tests) {
	let known = [];
	try {
		known = JSON.parse(readFileSync(listFile, 'utf8'));
	} catch {
		// The first run.
	}
	const { list, again } = withSecondTries(known, thisRun, tests);
	mkdirSync(dirname(listFile), { recursive: true });
	writeFileSync(`${listFile}.new`, `${JSON.stringify(list, undefined, '\t')}\n`);
	renameSync(`${listFile}.new`, listFile);
	for (const test of tests) console.log(`SECOND TRY ${test}`);
	for (const test of again)
		console.log(`SECOND TRY, AGAIN within ${list.length} runs (${listFile}): ${test}`);
	return CI || NEARGLOT_SECOND_TRIES ? again.length : 0;
}
