/**
 * Whose program is at the other end of a connection on this machine. Linux tells it in its socket tables;
 * macOS and Windows tell it to no program without a native part of its own (docs/api.md says so).
 */

import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

/**
 * `same`: the user this server runs as, or root, who can read the key anyway. `unknown`: the system ought to
 * tell and does not. `untold`: this system tells nobody.
 */
export type PeerUser = 'same' | 'other' | 'unknown' | 'untold';

/** The two ends of a connection, as the server's socket has them. */
export interface Ends {
	readonly remoteAddress: string;
	readonly remotePort: number;
	readonly localAddress: string;
	readonly localPort: number;
}

export interface PeerDeps {
	readonly platform: NodeJS.Platform;
	/** Effective user id of this process. */
	readonly uid: number;
	/** Text of `/proc/net/tcp` or `tcp6`; rejects where there is none. */
	readTable(name: 'tcp' | 'tcp6'): Promise<string>;
}

/** Id that stands for every user a namespace has no number for: it says nothing about who it is. */
const overflowUid = 65_534;

/** Established, and half closed in both orders: in all other states the socket has lost its owner. */
const ownedStates = new Set(['01', '04', '05', '08']);

/** Asks once per connection; connections that ask at the same time share one reading of the tables. */
export class PeerUsers {
	readonly #deps: PeerDeps;
	readonly #known = new WeakMap<Socket, Promise<PeerUser>>();
	#next: Promise<readonly string[]> | undefined;
	#running: Promise<unknown> = Promise.resolve();

	constructor(deps: PeerDeps = systemDeps()) {
		this.#deps = deps;
	}

	of(socket: Socket | undefined): Promise<PeerUser> {
		if (this.#deps.platform !== 'linux') return Promise.resolve('untold');
		if (socket === undefined) return Promise.resolve('unknown');
		const known = this.#known.get(socket) ?? this.#ask(socket);
		this.#known.set(socket, known);
		return known;
	}

	async #ask(socket: Socket): Promise<PeerUser> {
		const { remoteAddress, remotePort, localAddress, localPort } = socket;
		if (
			remoteAddress === undefined ||
			remotePort === undefined ||
			localAddress === undefined ||
			localPort === undefined
		)
			return 'unknown';
		const ends = { remoteAddress, remotePort, localAddress, localPort };
		// A table that changes while it is read may lose a row.
		for (let attempt = 0; attempt < 3; attempt++) {
			const uid = socketOwner(await this.#tables(), ends);
			if (uid === undefined) continue;
			if (uid === overflowUid) return 'unknown';
			return uid === this.#deps.uid || uid === 0 ? 'same' : 'other';
		}
		return 'unknown';
	}

	/** Tables read after this call: a reading under way may have begun before the connection was made. */
	#tables(): Promise<readonly string[]> {
		this.#next ??= this.#running.then(() => {
			this.#next = undefined;
			const read = Promise.all([this.#read('tcp'), this.#read('tcp6')]);
			this.#running = read;
			return read;
		});
		return this.#next;
	}

	#read(name: 'tcp' | 'tcp6'): Promise<string> {
		return this.#deps.readTable(name).catch(() => '');
	}
}

/**
 * User id of the socket at the remote end, found as the local end of its own row; `undefined` when there is
 * no such row, or when its process has given the socket up: the kernel then writes 0, which would be root.
 */
export function socketOwner(tables: readonly string[], ends: Ends): number | undefined {
	const forms = rowForms(ends);
	for (const table of tables)
		for (const form of forms) {
			const at = table.indexOf(form);
			if (at < 0) continue;
			const end = table.indexOf('\n', at);
			const row = table.slice(at, end < 0 ? undefined : end);
			const [, , state = '', , , , uid = '', , inode = ''] = row.trim().split(/\s+/);
			if (!ownedStates.has(state) || !/^\d+$/.test(uid) || !/^[1-9]\d*$/.test(inode)) continue;
			return Number(uid);
		}
	return undefined;
}

/** How the two ends stand in a row: as IPv4, and as IPv4 in IPv6. */
function rowForms({ remoteAddress, remotePort, localAddress, localPort }: Ends): string[] {
	const [remote, local] = [addressForms(remoteAddress), addressForms(localAddress)];
	return remote.flatMap((from, index) => {
		const to = local[index];
		return to === undefined
			? []
			: [` ${from}:${portForm(remotePort)} ${to}:${portForm(localPort)} `];
	});
}

const portForm = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

function addressForms(address: string): string[] {
	const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
	if (plain.includes('.')) {
		const bytes = plain.split('.').map(Number);
		return [words(bytes), words([...Array(10).fill(0), 255, 255, ...bytes])];
	}
	return [words(ipv6Bytes(plain))];
}

/** The 16 bytes of an address without `%zone`. */
function ipv6Bytes(address: string): number[] {
	const [plain = ''] = address.split('%', 1);
	const [head = '', tail] = plain.split('::');
	const groups = (text: string) => (text === '' ? [] : text.split(':'));
	const [first, last] = [groups(head), groups(tail ?? '')];
	const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
	return [...first, ...zeros, ...last].flatMap((group) => {
		const value = Number.parseInt(group, 16);
		return [value >> 8, value & 255];
	});
}

/** The kernel prints every 32 bits as the number they are on this processor. */
function words(bytes: readonly number[]): string {
	let text = '';
	for (let at = 0; at < bytes.length; at += 4) {
		const word = bytes.slice(at, at + 4);
		if (endianness() === 'LE') word.reverse();
		text += word.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('');
	}
	return text;
}

function systemDeps(): PeerDeps {
	return {
		platform: process.platform,
		uid: process.geteuid?.() ?? -1,
		readTable: (name) => readFile(`/proc/net/${name}`, 'latin1'),
	};
}
