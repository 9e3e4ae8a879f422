/** The layer as a process of its own, as it runs in production. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export interface GatewayProcess extends AsyncDisposable {
	readonly child: ChildProcess;
	/** Where it says that it listens. */
	readonly url: string;
	readonly port: number;
}

/** Starts `nearglot gateway` on a free port and waits until it says that it is ready. */
export function startProcess(
	config: string,
	upstream: string,
	more: readonly string[] = [],
	env: NodeJS.ProcessEnv = {},
): Promise<GatewayProcess> {
	const options = ['--config', config, '--upstream', upstream, ...more];
	return startWith(options, join(dirname(config), 'home'), env);
}

/** The same with any options. */
export async function startWith(
	options: readonly string[],
	home: string,
	env: NodeJS.ProcessEnv = {},
): Promise<GatewayProcess> {
	const [command, gateway] = ['command.ts', 'gatewayCommand.ts'].map((file) =>
		JSON.stringify(join(root, 'server', 'cli', file)),
	);
	const script = `import { runCommand } from ${command}; void runCommand({ gateway: async () => (await import(${gateway})).gatewayCommand }, process.argv.slice(1));`;
	const args = ['gateway', '--port', '0', '--json', ...options];
	const child = spawn(
		process.execPath,
		['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, '--', ...args],
		{
			env: {
				...process.env,
				CORP_SECRET: 'corp-secret',
				NEARGLOT_HOME: home,
				...env,
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	let errors = '';
	child.stderr.on('data', (chunk: Buffer) => {
		errors += chunk.toString();
	});
	const line = await new Promise<string>((resolve, reject) => {
		let text = '';
		child.stdout.on('data', (chunk: Buffer) => {
			text += chunk.toString();
			if (text.includes('\n')) resolve(text);
		});
		child.once('exit', () => reject(new Error(`the gateway did not start: ${errors}`)));
	});
	const { url } = JSON.parse(line) as { url: string };
	const ended = once(child, 'exit');
	return {
		child,
		url,
		port: Number(new URL(url).port),
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL');
			await ended;
		},
	};
}
