/** `npm run bench -- completions`: how soon a suggestion is there while one types, and how much of it is right. */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { basename, extname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nearestAround } from '../../extension/ai/completionContext.ts';
import { type DaemonConnection, requestShutdown } from '../../server/daemon/daemonConnection.ts';
import { findDaemon, findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { completeCode } from '../../server/lsp/complete.ts';
import { asAppError } from '../../server/protocol/index.ts';
import {
	figuresOf,
	type HeldOutLine,
	heldOutLines,
	type SourceText,
	type Suggested,
} from './heldOutLines.ts';

const root = join(import.meta.dirname, '../..');

const usage = `Usage: npm run bench -- completions --model NAME|DIR [OPTIONS]

Lines of a folder lose their ends, and the model writes them, as the editor asks it: 3,000 characters
before, 1,000 behind, pieces of other files. Prints for each language the time until a suggestion is
there, without the pause of 180 ms that the editor waits for, and how much of it is right.

  --model NAME|DIR   model of the model server that fills in the middle, or a model folder
  --folder DIR       source code (default: this repository)
  --lines N          of each language (default 40)
  --json FILE        also write the figures to FILE`;

/** Languages by the endings of files, as editors name them. */
const languages: ReadonlyMap<string, string> = new Map([
	...(['.ts', '.mts'].map((ending) => [ending, 'typescript']) as [string, string][]),
	...(['.js', '.mjs', '.cjs'].map((ending) => [ending, 'javascript']) as [string, string][]),
	...([
		...[
			['.tsx', 'typescriptreact'],
			['.py', 'python'],
			['.go', 'go'],
			['.rs', 'rust'],
		],
		...[
			['.java', 'java'],
			['.c', 'c'],
			['.cpp', 'cpp'],
			['.cs', 'csharp'],
			['.rb', 'ruby'],
		],
		...[
			['.php', 'php'],
			['.sh', 'shellscript'],
			['.css', 'css'],
			['.sql', 'sql'],
		],
	] as [string, string][]),
]);

/** Tokens of a suggestion, as the editor asks for. */
const maxTokens = 64;
/** Largest file that is read, in bytes. */
const maxBytes = 200_000;

/** Prints the figures; resolves to the exit code. */
export async function runCompletions(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			model: { type: 'string' },
			folder: { type: 'string', default: root },
			lines: { type: 'string', default: '40' },
			json: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help || values.model === undefined) {
		console.log(usage);
		return values.help ? 0 : 2;
	}
	const lines = heldOutLines(sourcesIn(values.folder), Number(values.lines));
	await using server = await serverWith(values.model);
	console.log(
		`${server.model}, ${cpus()[0]?.model ?? ''}, ${cpus().length} cores, load ${(loadavg()[0] ?? 0).toFixed(1)} before\n`,
	);
	const suggested: Suggested[] = [];
	const ask = async (shown: { readonly prefix: string; readonly suffix: string }) => {
		const params = { model: server.model, ...shown, maxTokens, stop: ['\n\n'] };
		return await completeCode(server.daemon, params, new AbortController().signal);
	};
	const complete = ({ prefix, suffix }: HeldOutLine) =>
		ask({ prefix, suffix }).catch((error: unknown) => {
			if (asAppError(error).code !== 'context_length_exceeded') throw error;
			return ask(nearestAround(prefix, suffix));
		});
	for (const [index, line] of lines.entries()) {
		// The first request loads the model.
		if (index === 0) await complete(line);
		const { language, expected } = line;
		const askedAt = performance.now();
		const { text } = await complete(line);
		const ms = performance.now() - askedAt;
		suggested.push({ language, ms, expected, text: text.split('\n', 1)[0]?.trimEnd() ?? '' });
	}
	const rows = figuresOf(suggested);
	console.log('language          lines  p50 ms  p95 ms  shown %  accepted %  whole lines %');
	const percent = (share: number, width: number) => (100 * share).toFixed(1).padStart(width);
	for (const row of rows)
		console.log(
			`${row.language.padEnd(17)} ${String(row.lines).padStart(5)} ${row.medianMs.toFixed(0).padStart(7)} ${row.slowMs.toFixed(0).padStart(7)} ${percent(row.shown, 8)} ${percent(row.accepted, 11)} ${percent(row.whole, 14)}`,
		);
	if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, '\t')}\n`);
	return rows.length > 0 ? 0 : 1;
}

/** Texts below a folder in languages that are known, in the order of their paths. */
function sourcesIn(folder: string): SourceText[] {
	const skipped = /(?:^|[\\/])(?:node_modules|dist|\.[^\\/]+)(?:[\\/]|$)/;
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((path) => !skipped.test(path))
		.sort()
		.flatMap((path) => {
			const language = languages.get(extname(path));
			const full = join(folder, path);
			if (language === undefined) return [];
			const { size } = statSync(full);
			if (size > maxBytes) return [];
			return [{ path: relative(folder, full), language, text: readFileSync(full, 'utf8') }];
		});
}

interface Server extends AsyncDisposable {
	readonly daemon: DaemonConnection;
	readonly model: string;
}

/** The model server with a model; for a folder one of its own, which ends with the bench. */
async function serverWith(model: string): Promise<Server> {
	const isFolder = statSync(model, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (!isFolder)
		return {
			...{ daemon: await findOrStartDaemon({ env: process.env }), model },
			[Symbol.asyncDispose]: async () => {},
		};
	const home = mkdtempSync(join(tmpdir(), 'nearglot-completions-'));
	const env = { ...process.env, NEARGLOT_HOME: home };
	const name = basename(model);
	cpSync(model, join(home, 'models', name), { recursive: true });
	const daemon = await findOrStartDaemon({ env });
	return {
		...{ daemon, model: name },
		[Symbol.asyncDispose]: async () => {
			const running = await findDaemon(env);
			if (running) {
				await requestShutdown(running.endpoint, false).catch(() => undefined);
				while (isRunning(running.endpoint.pid)) await sleep(50);
			}
			rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
		},
	};
}

/** Until it has ended, it may write into its folder. */
function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
