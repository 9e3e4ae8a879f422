/** `npm run bench -- workspace`: recall of questions over this repository, and time and size of an index of many files. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findOrStartDaemon } from '../../server/daemon/findDaemon.ts';
import { FolderIndex } from '../../server/lsp/workspace/folderIndex.ts';
import { embedTexts } from '../../server/lsp/workspace/vectorModels.ts';
import { learnLatent } from './latent.ts';
import { copyRepository, type Question } from './questions.ts';

const root = join(import.meta.dirname, '../..');

const usage = `Usage: npm run bench -- workspace [OPTIONS]

  --model NAME      embedding model of the model server (default: vectors learned from the repository itself)
  --questions N     default 200
  --files N         files of the large folder (default 10000; 0: only recall)`;

type Embed = (
	texts: readonly string[],
	are: 'question' | 'passage',
) => Promise<readonly Float32Array[]>;

/** Prints the figures; resolves to 1 when a bar is missed. */
export async function runWorkspaceBench(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			model: { type: 'string' },
			questions: { type: 'string', default: '200' },
			files: { type: 'string', default: '10000' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const base = mkdtempSync(join(tmpdir(), 'nearglot-workspace-bench-'));
	console.log(`Node ${process.version}, load ${(loadavg()[0] ?? 0).toFixed(1)}`);
	try {
		const embed = values.model === undefined ? undefined : await daemonEmbedder(values.model);
		const recalled = await recall(base, Number(values.questions), embed);
		const files = Number(values.files);
		const held = files === 0 || (await scale(base, files, embed));
		return recalled && held ? 0 : 1;
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}

async function daemonEmbedder(model: string): Promise<Embed> {
	const client = await findOrStartDaemon({ env: process.env });
	const { signal } = new AbortController();
	return (texts, are) => embedTexts(client, { model, texts, are }, signal);
}

function open(base: string, folder: string, name: string): Promise<FolderIndex> {
	return FolderIndex.open({
		...{ folder, path: join(base, name, 'index.db') },
		onAside: (sentence) => console.error(sentence),
		onProgress: () => {},
	});
}

async function recall(base: string, count: number, given?: Embed): Promise<boolean> {
	const folder = join(base, 'repository');
	const questions = copyRepository(root, folder, count);
	const index = await open(base, folder, 'recall');
	await index.synchronise();
	const texts = await index.toEmbed('bench', Number.MAX_SAFE_INTEGER);
	const learned = learnLatent(texts.map(({ text }) => text));
	const embed: Embed = given ?? (async (list) => list.map(learned));
	await embedAll(index, texts, embed);
	const vectors = await Promise.all(
		questions.map(async ({ text }) => (await embed([text], 'question'))[0]),
	);
	const found = async (vectorOf: (at: number) => Float32Array | undefined) => {
		let hits = 0;
		for (const [at, question] of questions.entries())
			if (await finds(index, question, vectorOf(at))) hits++;
		return hits / questions.length;
	};
	const words = await found(() => undefined);
	const both = await found((at) => vectors[at]);
	const source = given ? 'the model' : 'vectors learned from the repository';
	console.log(`${questions.length} questions over ${texts.length} chunks, recall@10 of files:`);
	console.log(`  words (BM25)               ${(100 * words).toFixed(1)} %`);
	console.log(`  words and meaning, fused   ${(100 * both).toFixed(1)} %  (${source})`);
	index.close();
	return bar('fused is at least as good as words alone', both >= words);
}

/** Whether the file that answers is among ten files. */
async function finds(
	index: FolderIndex,
	{ text, path }: Question,
	vector: Float32Array | undefined,
): Promise<boolean> {
	const pieces = await index.search(text, vector, 20);
	return [...new Set(pieces.map((piece) => piece.path))].slice(0, 10).includes(path);
}

async function embedAll(
	index: FolderIndex,
	texts: readonly { readonly id: number; readonly text: string }[],
	embed: Embed,
): Promise<void> {
	for (let at = 0; at < texts.length; at += 32) {
		const batch = texts.slice(at, at + 32);
		const vectors = await embed(
			batch.map(({ text }) => text),
			'passage',
		);
		index.embed(batch.map(({ id }, place) => ({ id, vector: vectors[place] as Float32Array })));
	}
}

/** An index of copies of this repository's files. */
async function scale(base: string, files: number, given?: Embed): Promise<boolean> {
	const folder = join(base, 'many');
	const one = join(base, 'repository');
	let made = 0;
	for (let copy = 0; made < files; copy++)
		for (const part of ['server', 'extension', 'webview', 'test']) {
			if (made >= files) break;
			mkdirSync(folder, { recursive: true });
			cpSync(join(one, part), join(folder, `copy${copy}`, part), {
				recursive: true,
				filter: (path) => statSync(path).isDirectory() || (!/\.json$/.test(path) && made++ < files),
			});
		}
	const index = await open(base, folder, 'large');
	const startedAt = performance.now();
	const usedBefore = process.cpuUsage();
	const { files: read, chunks } = await index.synchronise();
	const wordsS = (performance.now() - startedAt) / 1000;
	const cpuS = (process.cpuUsage(usedBefore).user + process.cpuUsage(usedBefore).system) / 1e6;
	const learned = learnLatent(['a made text', 'another one']);
	const embed: Embed = given ?? (async (list) => list.map(wide(learned)));
	const embedAt = performance.now();
	for (;;) {
		const texts = await index.toEmbed('bench', 1024);
		if (texts.length === 0) break;
		await embedAll(index, texts, embed);
	}
	const meaningS = (performance.now() - embedAt) / 1000;
	const times: number[] = [];
	for (const question of [
		'Where is the lock of the daemon taken?',
		'resample audio',
		'parse multipart form',
		'how are keys stored',
		'undo a rename',
	]) {
		for (let round = 0; round < 5; round++) {
			const at = performance.now();
			const vector = (await embed([question], 'question'))[0];
			await index.search(question, vector, 10);
			times.push(performance.now() - at);
		}
	}
	times.sort((a, b) => a - b);
	const median = times[Math.floor(times.length / 2)] ?? 0;
	const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
	index.close();
	const bytes = readdirSync(join(base, 'large')).reduce(
		(sum, name) => sum + statSync(join(base, 'large', name)).size,
		0,
	);
	const memory = process.memoryUsage();
	console.log(`${read} files, ${chunks} chunks:`);
	console.log(
		`  read, cut, words           ${wordsS.toFixed(1)} s (${cpuS.toFixed(1)} s of processor time)`,
	);
	console.log(
		`  meanings                   ${meaningS.toFixed(1)} s  (${given ? 'the model' : 'no model: 384 numbers made up for each, so only what the index costs'})`,
	);
	console.log(`  index on the disk          ${(bytes / 1e6).toFixed(0)} MB`);
	console.log(`  memory of this process     ${(memory.rss / 1e6).toFixed(0)} MB`);
	console.log(
		`  a question                 median ${median.toFixed(0)} ms, 95 % ${p95.toFixed(0)} ms`,
	);
	const marks = [
		bar('indexed within 300 s', wordsS + meaningS <= 300),
		bar('at most 300 MB on the disk', bytes <= 300e6),
		bar('a question is searched within 150 ms', median <= 150),
	];
	return marks.every(Boolean);
}

/** As long as those of a small embedder. */
const wide = (embed: (text: string) => Float32Array) => (text: string) => {
	const vector = new Float32Array(384).map((_, at) => Math.sin(at * (1 + text.length)));
	vector.set(embed(text));
	return vector;
};

function bar(name: string, isHeld: boolean): boolean {
	console.log(`${isHeld ? 'ok     ' : 'MISSED '}${name}`);
	return isHeld;
}
