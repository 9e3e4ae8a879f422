/** A machine that takes no connection and does not say so: a process that is stopped while others wait for it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { until } from './until.ts';

/** Whether a connection to a port of 127.0.0.1 is asked for and not answered, as the system sees it. */
async function isAskedInVain(port: number): Promise<boolean> {
	const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
	return (await readFile('/proc/net/tcp', 'utf8')).split('\n').some((line) => {
		const [, , remote, state] = line.trim().split(/\s+/);
		return remote === address && state === '02';
	});
}

export interface SilentMachine {
	readonly port: number;
	/** From now on it answers no connection. */
	fallSilent(): Promise<void>;
	/** It takes connections again. */
	wake(): void;
	stop(): void;
}

/** Starts it; until it falls silent it answers every request with `answer`. Needs Linux. */
export async function startSilentMachine(answer = ''): Promise<SilentMachine> {
	const machine = spawn(
		process.execPath,
		[
			'-e',
			`const answer = ${JSON.stringify(answer)};
			const server = require('node:http').createServer((request, response) => response.end(answer));
			server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`,
		],
		{ stdio: ['ignore', 'pipe', 'ignore'] },
	);
	const port = Number(String((await once(machine.stdout, 'data'))[0]));
	const waiting: Socket[] = [];
	const leave = () => {
		for (const socket of waiting.splice(0)) socket.destroy();
	};
	return {
		port,
		fallSilent: async () => {
			machine.kill('SIGSTOP');
			await until('its queue is full', async () => {
				const socket = connect(port, '127.0.0.1');
				waiting.push(socket);
				socket.on('error', () => {});
				await setTimeout(50);
				return isAskedInVain(port);
			});
		},
		wake: () => {
			leave();
			machine.kill('SIGCONT');
		},
		stop: () => {
			leave();
			machine.kill('SIGKILL');
		},
	};
}
