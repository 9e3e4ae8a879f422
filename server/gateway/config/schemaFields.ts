/**
 * Kinds of settings: zod schemas whose own sentences say what a value must be, where the kind of the mistake
 * alone (checkSchema.ts) does not.
 */

import * as z from 'zod';
import { parseDurationMs } from './duration.ts';

/** Sections whose unknown keys are read over, with a warning. */
const open = new WeakSet<object>();

export const isOpen = (section: object | undefined): boolean =>
	section !== undefined && open.has(section);

export const textSetting = (description: string) =>
	z.string().min(1).optional().describe(description);

/** Absent, it is as the program has it. */
export const optionalFlag = (description: string) => z.boolean().optional().describe(description);

export const flag = (description: string, standard: boolean) =>
	z.boolean().default(standard).describe(description);

export const list = (description: string, standard: readonly string[] = []) =>
	z
		.array(z.string().min(1))
		.default([...standard])
		.describe(description);

/** A list that means something else when it is not there. */
export const optionalList = (description: string) =>
	z.array(z.string().min(1)).optional().describe(description);

export const choice = <const T extends string>(values: readonly T[], description: string) =>
	z.enum(values).optional().describe(description);

export const pattern = (form: RegExp, description: string) =>
	z.string().regex(form).optional().describe(description);

export const addressSetting = (description: string) => pattern(/^https?:\/\/[^\s]+$/, description);

/** From `minimum` to `maximum`; absent, it is as the program has it. */
export const optionalInteger = (minimum: number, maximum: number, description: string) =>
	within(minimum, maximum).optional().describe(description);

export const integerSetting = (
	minimum: number,
	maximum: number,
	standard: number,
	description: string,
) => within(minimum, maximum).default(standard).describe(description);

function within(minimum: number, maximum: number) {
	const range = `must be ${minimum} to ${maximum}`;
	return z.int('must be of type integer').min(minimum, range).max(maximum, range);
}

const spelled = /^(\d{1,4}\.)?\d{1,2}:[0-5]\d:[0-5]\d(\.\d{1,7})?$/;

/** Milliseconds, written as `[d.]hh:mm:ss`. */
export const duration = (standard: string, description: string) =>
	z
		.string()
		.regex(spelled)
		.transform((written, context) => {
			const ms = parseDurationMs(written);
			if (ms !== undefined && ms >= 1000) return ms;
			const message =
				ms === undefined
					? `must be [days.]hh:mm:ss with at most 23 hours beside days, is '${written}'.`
					: 'must be at least one second.';
			context.issues.push({ code: 'custom', message, input: written });
			return z.NEVER;
		})
		.prefault(standard)
		.describe(description);

/** Keys it does not know are mistakes: a misspelt guard would be no guard. */
export const objectSetting = <S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(shape);

/** For sections that guard nobody: the platform may write there what this program has no use for. */
function openObject<S extends z.core.$ZodLooseShape>(shape: S) {
	const found = z.strictObject(shape);
	open.add(found);
	return found;
}

/** A section with what it holds when it is not there. */
export const sectionSetting = <S extends z.core.$ZodLooseShape>(shape: S) =>
	filled(z.strictObject(shape));

export const openSection = <S extends z.core.$ZodLooseShape>(shape: S) => filled(openObject(shape));

const filled = <S extends z.core.$ZodLooseShape>(found: z.ZodObject<S, z.core.$strict>) =>
	found.prefault({} as z.input<typeof found>);
