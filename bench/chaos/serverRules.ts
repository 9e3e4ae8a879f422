/** What must hold after every fault. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { isRunnerFolder } from '../../server/store/scratch.ts';
import { deletedOf, openPaths } from '../soak/held.ts';
import { daemonOf, type Stage } from './serverSteps.ts';

/** The model of the hub. */
export const pulled: Readonly<Record<string, Buffer>> = {
	'config.json': Buffer.from('{"model_type":"llama"}'),
	'tokenizer.json': Buffer.from('{}'),
	'onnx/model_q4.onnx': Buffer.alloc(300_000, 7),
	'onnx/model_q4.onnx_data': Buffer.alloc(900_000, 8),
};

const question = ['chat', 'starter-chat', 'extract a tar.gz file', '--temperature', '0'];
const answers = new WeakMap<Stage, string>();
/** More than a server that answers one request at a time has ever had open, far less than a leak. */
const maxDescriptors = 80;
/** Of the models that are asked, and of one that is being loaded again. */
const maxRunners = 3;

/** What does not hold; empty when all is well. */
export async function brokenRules(stage: Stage): Promise<string[]> {
	const broken: string[] = [];
	const { home, keys } = stage;
	const chat = await home.run(question);
	const first = answers.get(stage) ?? chat.stdout;
	if (chat.code !== 0) broken.push(`the next request fails: ${chat.stderr}`);
	else if (chat.stdout !== first) broken.push(`the answer is another one: ${chat.stdout}`);
	else answers.set(stage, first);
	const list = await home.run(['keys', 'list', '--json']);
	const kept = list.code === 0 ? (JSON.parse(list.stdout) as { id: string }[]) : [];
	const lost = [...keys].filter((id) => !kept.some((key) => key.id === id));
	if (lost.length > 0) broken.push(`keys are lost: ${lost}: ${list.stderr}`);
	const model = join(home.folder, 'models', 'tiny@1');
	if (existsSync(model))
		for (const [path, bytes] of Object.entries(pulled))
			if (!readFileSync(join(model, path)).equals(bytes)) broken.push(`${path} is damaged`);
	const pid = await daemonOf(stage);
	if (pid !== undefined) broken.push(...held(pid));
	const tmp = readNames(join(home.folder, 'tmp'));
	const left = [
		// A runner that is loaded has one.
		...tmp.filter((name) => !isRunnerFolder(name)),
		...readNames(join(home.folder, 'models')).filter((name) => /^\.(import|removed)/.test(name)),
		...readNames(stage.systemTmp),
	];
	if (left.length > 0) broken.push(`temporary files are left: ${left}`);
	const runners = tmp.filter(isRunnerFolder).length;
	if (runners > maxRunners) broken.push(`folders of ${runners} runners are left`);
	const limited = await askLimited(stage);
	if (limited !== undefined) broken.push(limited);
	return broken;
}

/** A key within its limits is served, wherever the clock stands; the reason when it is not. */
async function askLimited(stage: Stage): Promise<string | undefined> {
	if (stage.limited === undefined) {
		const made = await stage.home.run([
			'keys',
			'create',
			'limited',
			'--per-minute',
			'5000',
			'--json',
		]);
		if (made.code !== 0) return `no key can be made: ${made.stderr}`;
		stage.limited = (JSON.parse(made.stdout) as { key: string }).key;
	}
	const url = (await findDaemon(stage.home.env))?.endpoint.url;
	if (url === undefined) return 'there is no server';
	const answer = await fetch(`${url}/languages?api-version=3.0`);
	if (!answer.ok) return `the languages: ${answer.status}`;
	const translated = await fetch(`${url}/translate?api-version=3.0&from=en&to=de`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'ocp-apim-subscription-key': stage.limited },
		body: JSON.stringify([{ Text: 'Open the settings.' }]),
	});
	const text = await translated.text();
	return translated.ok ? undefined : `a key within its limits hears ${translated.status} ${text}`;
}

/** What a process should not hold: too many descriptors, or files that were deleted. */
export function held(pid: number): string[] {
	const open = openPaths(pid);
	const broken = deletedOf(open).map((path) => `it holds ${basename(path)}`);
	if (open.length > maxDescriptors) broken.push(`it holds ${open.length} descriptors: ${open}`);
	return broken;
}

const readNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
