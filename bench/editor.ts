/**
 * `npm run bench -- editor`: what is felt in an editor, over stdio with the built-in models: hovers,
 * opening long files, reader mode, and for how long the language server does not answer.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
	createMessageConnection,
	type MessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';

const root = join(import.meta.dirname, '..');

/** Longest time without a turn for others, in milliseconds. */
interface Held {
	/** By the clock. */
	readonly longest: number;
	/** Processor time of the thread. */
	readonly longestBusy: number;
}

interface Figure {
	readonly name: string;
	readonly ms: number;
	readonly limitMs: number;
	readonly note?: string;
}

/** Runs the cases and prints a table; resolves to 1 when a limit is missed. */
export async function runEditorBench(args: readonly string[]): Promise<number> {
	const home = mkdtempSync(join(tmpdir(), 'nearglot-editor-bench-'));
	const bundle = join(root, 'dist', 'server.cjs');
	const server =
		existsSync(bundle) && !args.includes('--sources') ? bundle : join(root, 'server', 'main.ts');
	const load = loadavg()[0] ?? 0;
	console.log(`${server.slice(root.length + 1)}, Node ${process.version}, load ${load.toFixed(2)}`);
	const child = spawn(
		process.execPath,
		[
			'--disable-warning=ExperimentalWarning',
			'--import',
			pathToFileURL(join(import.meta.dirname, 'editorLoop.mjs')).href,
			server,
			'lsp',
			'--stdio',
		],
		{ stdio: ['pipe', 'pipe', 'inherit', 'ipc'], env: { ...process.env, NEARGLOT_HOME: home } },
	);
	const { stdin, stdout } = child;
	if (!stdin || !stdout) throw new Error('The server has no stdio.');
	const client = createMessageConnection(
		new StreamMessageReader(stdout),
		new StreamMessageWriter(stdin),
	);
	client.listen();
	try {
		const figures = await measure(client, child);
		let missed = 0;
		for (const { name, ms, limitMs, note } of figures) {
			const isMissed = ms > limitMs;
			if (isMissed) missed++;
			const mark = isMissed ? 'MISSED' : 'ok';
			console.log(
				`${mark.padEnd(7)}${name.padEnd(62)}${ms.toFixed(1).padStart(8)} ms  (limit ${limitMs})${note ? `  ${note}` : ''}`,
			);
		}
		return missed > 0 ? 1 : 0;
	} finally {
		const endpoint = join(home, 'endpoint.json');
		if (existsSync(endpoint)) {
			const { pid } = JSON.parse(readFileSync(endpoint, 'utf8')) as { pid: number };
			process.kill(pid, 'SIGTERM');
		}
		client.dispose();
		child.kill();
		await new Promise((resolve) => setTimeout(resolve, 1500));
		rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 });
	}
}

async function measure(client: MessageConnection, child: ChildProcess): Promise<Figure[]> {
	const figures: Figure[] = [];
	const blocked = (): Promise<Held> =>
		new Promise((resolve) => {
			child.once('message', (message: Held) => resolve(message));
			child.send('read');
		});
	const during = async (work: () => Promise<unknown>): Promise<Held> => {
		await blocked();
		await work();
		await pause(50);
		return blocked();
	};
	await client.sendRequest('initialize', {
		processId: null,
		rootUri: null,
		locale: 'en',
		capabilities: {},
		initializationOptions: { translate: { targetLanguage: 'de', languages: ['de', 'fr'] } },
	});
	await client.sendNotification('initialized', {});
	const open = (uri: string, text: string, languageId = 'typescript') =>
		client.sendNotification('textDocument/didOpen', {
			textDocument: { uri, languageId, version: 1, text },
		});
	const hover = (uri: string, line: number, character = 6) =>
		client.sendRequest<{ contents: { value: string } } | null>('textDocument/hover', {
			textDocument: { uri },
			position: { line, character },
		});

	const sentences = [
		'The file could not be opened because it does not exist.',
		'This function returns the number of lines in the file.',
		'The user must be signed in before the list is shown.',
		'Please wait until the download has finished.',
		'The window is closed when the last tab is closed.',
		'All settings are stored in the folder of the user.',
		'The password must have at least eight characters.',
		'We read the first line and skip the rest.',
		'An empty answer means that nothing was found.',
		'The server sends the message again after one minute.',
		'Every button has a name that is read aloud.',
	];
	const small = 'file:///bench/small.ts';
	await open(
		small,
		sentences.map((sentence, at) => `// ${sentence}\nexport const a${at} = ${at};\n`).join(''),
	);
	await hover(small, 0);
	const first: number[] = [];
	const again: number[] = [];
	for (let at = 1; at < sentences.length; at++) {
		first.push(await timed(() => hover(small, at * 2)));
		again.push(await timed(() => hover(small, at * 2)));
	}
	figures.push({
		name: 'first hover of a sentence, median of 10',
		ms: median(first),
		limitMs: 300,
		note: `worst ${Math.max(...first).toFixed(0)}`,
	});
	figures.push({
		name: 'cached hover, median of 10',
		ms: median(again),
		limitMs: 30,
		note: `worst ${Math.max(...again).toFixed(1)}`,
	});

	const idle = await during(() => pause(1000));
	console.log(`idle for a second: the loop was held up for ${idle.longest.toFixed(1)} ms at most`);
	/** The worst of some turns of work. */
	const held = async (
		name: string,
		limitMs: number,
		turns: readonly (() => Promise<unknown>)[],
		note: () => string = () => '',
	) => {
		let [longest, longestBusy] = [0, 0];
		for (const turn of turns) {
			const now = await during(turn);
			longest = Math.max(longest, now.longest);
			longestBusy = Math.max(longestBusy, now.longestBusy);
		}
		const clock = `by the clock ${longest.toFixed(1)} ms`;
		const more = note();
		figures.push({
			name,
			ms: longestBusy,
			limitMs,
			note: more === '' ? clock : `${clock}, ${more}`,
		});
	};
	const medium = 'file:///bench/medium.ts';
	const opening = (uri: string, text: string, languageId?: string) => async () => {
		await open(uri, text, languageId);
		await pause(500);
	};
	await held('blocked by opening 5,000 lines', 20, [opening(medium, sourceOf(5000))]);
	await held('blocked by the first hover in 5,000 lines', 50, [() => hover(medium, 2500)]);

	const long = 'file:///bench/long.ts';
	const text = sourceOf(20_000);
	const last = text.split('\n').length - 1;
	await held('blocked by opening 20,000 lines', 50, [opening(long, text)]);
	const actions = (line: number) =>
		client.sendRequest('textDocument/codeAction', {
			textDocument: { uri: long },
			range: { start: { line, character: 0 }, end: { line: line + 3, character: 0 } },
			context: { diagnostics: [] },
		});
	await held('blocked by the first code actions in 20,000 lines', 50, [() => actions(10_000)]);
	const times: number[] = [];
	const edits = Array.from({ length: 8 }, (_, at) => async () => {
		const line = 500 + at * 2400;
		const place = { line, character: 0 };
		await client.sendNotification('textDocument/didChange', {
			textDocument: { uri: long, version: at + 2 },
			contentChanges: [{ range: { start: place, end: place }, text: '// x\n' }],
		});
		times.push(await timed(() => hover(long, line)));
	});
	await held(
		'blocked by an edit and a hover in 20,000 lines, worst of 8',
		50,
		edits,
		() => `median answer ${median(times).toFixed(0)} ms`,
	);
	const answers: number[] = [];
	const regions = [0, 5000, 12_000, 19_900].map((line) => async () => {
		const start = { line, character: 0 };
		const end = { line: Math.min(last, line + 50), character: 0 };
		const params = { uri: long, languageId: 'typescript', range: { start, end }, to: 'de' };
		answers.push(await timed(() => client.sendRequest('nearglot/readerRanges', params)));
	});
	await held(
		'blocked by reader mode at 4 places of 20,000 lines',
		50,
		regions,
		() => `answers ${answers.map((ms) => ms.toFixed(0)).join(', ')} ms`,
	);
	const lua = 'file:///bench/long.lua';
	await held('blocked by opening and hovering 20,000 lines without a grammar', 50, [
		opening(lua, text.replaceAll('//', '--'), 'lua'),
		() => hover(lua, 12_000),
	]);
	return figures;
}

/** Real sources of this project, one after the other. */
function sourceOf(lines: number): string {
	const folder = join(root, 'server');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.sort();
	const all: string[] = [];
	while (all.length < lines) {
		for (const file of files) {
			if (all.length >= lines) break;
			all.push(...readFileSync(join(folder, file), 'utf8').split('\n'));
		}
	}
	return `${all.slice(0, lines).join('\n')}\n`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

function median(list: readonly number[]): number {
	return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}
