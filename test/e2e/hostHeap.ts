/** What the process of a window's extensions holds. Linux only, like the host of these tests. */

import { readdirSync, readFileSync } from 'node:fs';

/** Port Node's inspector takes when a signal asks for it. */
const inspectorPort = 9229;

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** The newest extension host that works with a data folder of the daemon. */
export function extensionHost(home: string): number {
	const found = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map(Number)
		.filter((pid) => {
			try {
				const started = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
				const given = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
				return started.includes('--type=extensionHost') && given.includes(`NEARGLOT_HOME=${home}`);
			} catch {
				// It has ended, or is somebody else's.
				return false;
			}
		})
		.sort((a, b) => a - b);
	const newest = found.at(-1);
	if (newest === undefined) throw new Error('No extension host runs.');
	return newest;
}

/** Megabytes of JavaScript objects a Node process holds after a collection. */
export async function heapMb(pid: number): Promise<number> {
	process.kill(pid, 'SIGUSR1');
	const list = `http://127.0.0.1:${inspectorPort}/json`;
	let address: string | undefined;
	for (let attempt = 0; attempt < 50 && address === undefined; attempt++) {
		const answer = await fetch(list).catch(() => undefined);
		const targets = (await answer?.json()) as { webSocketDebuggerUrl: string }[] | undefined;
		address = targets?.[0]?.webSocketDebuggerUrl;
		if (address === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
	}
	if (address === undefined) throw new Error('The extension host opened no inspector.');
	const socket = new WebSocket(address);
	await new Promise((resolve, reject) => {
		socket.onopen = resolve;
		socket.onerror = reject;
	});
	let next = 0;
	const send = <T>(method: string): Promise<T> => {
		const id = ++next;
		socket.send(JSON.stringify({ id, method }));
		return new Promise((resolve) => {
			const listen = (event: MessageEvent) => {
				const message = JSON.parse(String(event.data)) as { id?: number; result: T };
				if (message.id !== id) return;
				socket.removeEventListener('message', listen);
				resolve(message.result);
			};
			socket.addEventListener('message', listen);
		});
	};
	try {
		// Objects with finalisers go in the second round.
		for (let round = 0; round < 2; round++) await send('HeapProfiler.collectGarbage');
		return (await send<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize / 1e6;
	} finally {
		socket.close();
	}
}
