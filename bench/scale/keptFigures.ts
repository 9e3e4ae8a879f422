/** The files of figures that are kept, and the document that is made of them. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { LargerRow } from './larger.ts';
import type { Measured } from './measure.ts';

export const keptFiles = {
	measured: new URL('measured.json', import.meta.url),
	simulated: new URL('simulated.json', import.meta.url),
	document: new URL('../../docs/scale.md', import.meta.url),
};

export const readMeasured = (): Measured =>
	JSON.parse(readFileSync(keptFiles.measured, 'utf8')) as Measured;
export const readSimulated = (): readonly LargerRow[] =>
	JSON.parse(readFileSync(keptFiles.simulated, 'utf8')) as readonly LargerRow[];

export const writeFigures = (file: URL, value: unknown): void =>
	writeFileSync(file, `${JSON.stringify(value, null, '\t')}\n`);
