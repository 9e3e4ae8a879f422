/** Switches of the environment: one reading for all of them, so that no spelling turns a guard off unseen. */

import type { Problems } from './configProblems.ts';

const values: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** The variable's value; without one, or with an empty one, what the settings say. */
export function envFlag(
	env: NodeJS.ProcessEnv,
	name: string,
	standard: boolean,
	problems: Problems,
): boolean {
	const written = env[name]?.trim().toLowerCase() ?? '';
	if (written === '') return standard;
	if (Object.hasOwn(values, written)) return values[written]!;
	problems.error(name, `must be true or false (1 or 0), is ${JSON.stringify(env[name])}.`);
	return standard;
}
