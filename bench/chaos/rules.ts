/** What must hold after every fault. */

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { daemonOf, type Stage } from './steps.ts';

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
const mostDescriptors = 80;

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
	const left = [
		...entriesOf(join(home.folder, 'tmp')),
		...entriesOf(join(home.folder, 'models')).filter((name) => /^\.(import|removed)/.test(name)),
	];
	if (left.length > 0) broken.push(`temporary files are left: ${left}`);
	return broken;
}

/** What a process should not hold: too many descriptors, or files that were deleted. */
function held(pid: number): string[] {
	const folder = `/proc/${pid}/fd`;
	const open = entriesOf(folder).flatMap((fd) => {
		try {
			return [readlinkSync(join(folder, fd))];
		} catch {
			return [];
		}
	});
	const deleted = open.filter((path) => path.startsWith('/') && path.endsWith(' (deleted)'));
	const broken = deleted.map((path) => `it holds ${path}`);
	if (open.length > mostDescriptors) broken.push(`it holds ${open.length} descriptors`);
	return broken;
}

const entriesOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
