/** How far a reference pass has come, kept on the disk so that a build that was killed need not begin anew. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removePath } from '../../../store/movePath.ts';
import { openPath, readPathBytes } from '../../../store/openPath.ts';
import {
	createData,
	elementCount,
	type Tensor,
	type TensorType,
	typeBytes,
} from '../../runtime/tensorType.ts';
import type { WeightError } from './weightErrors.ts';

export interface ReferenceState {
	/** Steps that were made. */
	readonly next: number;
	readonly values: ReadonlyMap<string, Tensor>;
	readonly errors: readonly WeightError[];
	/** A product of which some rows are done; what is multiplied is the value of that name. */
	readonly partial?: {
		readonly output: string;
		readonly weight: string;
		readonly value: string;
		readonly doneRows: number;
	};
}

interface Header extends Omit<ReferenceState, 'values'> {
	readonly identity: string;
	/** Bands that were finished. */
	readonly finished: number;
	readonly values: readonly {
		readonly name: string;
		readonly type: TensorType;
		readonly dims: readonly number[];
	}[];
}

/** Before the numbers of the states of a build. */
const prefixOf = (work: string): string => `${work}.state-`;

/** Writes the state after so many bands of the build in a folder. */
export async function writeState(
	work: string,
	identity: string,
	finished: number,
	state: ReferenceState,
): Promise<void> {
	const { values, ...rest } = state;
	const header: Header = {
		...rest,
		identity,
		finished,
		values: [...values].map(([name, { type, dims }]) => ({ name, type, dims })),
	};
	const text = Buffer.from(JSON.stringify(header));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(text.length));
	await using file = await openPath(`${prefixOf(work)}${finished}`, 'w');
	await file.writev([length, text]);
	for (const { data } of values.values())
		if (data.length > 0)
			await file.write(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
	await file.datasync();
}

/** The state after so many bands; `undefined` when there is none, or one that was cut off. */
export async function readState(
	work: string,
	identity: string,
	finished: number,
): Promise<ReferenceState | undefined> {
	if (finished === 0) return undefined;
	const bytes = await readPathBytes(`${prefixOf(work)}${finished}`).catch(() => undefined);
	if (bytes === undefined || bytes.length < 8) return undefined;
	const end = 8 + Number(bytes.readBigUInt64LE());
	try {
		const header = JSON.parse(bytes.toString('utf8', 8, end)) as Header;
		if (header.identity !== identity || header.finished !== finished) return undefined;
		let at = end;
		const values = new Map<string, Tensor>();
		for (const { name, type, dims } of header.values) {
			const data = createData(type, elementCount(dims));
			const length = data.length * typeBytes(type);
			if (at + length > bytes.length) return undefined;
			new Uint8Array(data.buffer).set(bytes.subarray(at, at + length));
			at += length;
			values.set(name, { type, dims, data });
		}
		return { ...header, values };
	} catch {
		// Not what was written here: the build begins anew.
		return undefined;
	}
}

/** Removes the states of a build, but for that after so many bands. */
export async function removeStates(work: string, kept?: number): Promise<void> {
	const prefix = basename(prefixOf(work));
	const folder = dirname(work);
	for (const name of await readdir(folder).catch(() => []))
		if (name.startsWith(prefix) && name !== `${prefix}${kept}`)
			await removePath(join(folder, name), { force: true });
}
