/** What is done for a person who is forgotten or whose work ends, on this replica. */

import type { JobService } from '../jobs/jobService.ts';
import type { People } from '../services/limits/payingPeople.ts';
import type { AnswerStore } from '../services/responses/answerStore.ts';
import type { ResponsesService } from '../services/responses/responsesService.ts';
import type { NumberedOrder } from '../services/shared/sharedOrders.ts';

export interface PersonParts {
	readonly people: People;
	readonly answers: AnswerStore;
	readonly jobs: JobService;
	readonly responses: ResponsesService;
}

/** Orders that are heard of so soon, in milliseconds, speak of all that there is. */
const freshMs = 60_000;

/** Deletes all that is stored of a person; resolves to how much that was. */
export async function forgetPersonHere(parts: PersonParts, person: string, signal: AbortSignal) {
	await parts.people.live.end(person);
	return deleteOf(parts, person, signal);
}

/** @param until what was made later stays; milliseconds since 1970 */
async function deleteOf(
	{ people, answers, jobs }: PersonParts,
	person: string,
	signal: AbortSignal,
	until?: number,
) {
	// Batches first: they are what may still make something of this person.
	const { batches, files } = await (await jobs.open()).forget(person, signal, until);
	const responses = await answers.deletePerson(person, until);
	return { responses, batches, files, usage: await people.forget(person, until) };
}

/** Ends what is under way for a person; resolves to how much that was. */
export async function endWorkHere(
	{ responses, jobs }: PersonParts,
	person: string,
	signal: AbortSignal,
) {
	const ended = await responses.end(person);
	return { responses: ended, batches: await (await jobs.open()).cancel(person, signal) };
}

/**
 * Does here what was ordered at another replica. What somebody has begun since they ended their work goes on, and
 * what they have made since they were forgotten stays: a replica may have been off for days.
 * @param isRetry it was tried before, and is tried again
 */
export async function carryOut(
	parts: PersonParts,
	{ kind, person, at }: NumberedOrder,
	isRetry: boolean,
	signal: AbortSignal,
): Promise<void> {
	// What was under way then has ended with the first try, or with the process that was there before.
	const wasThere = !isRetry && at >= performance.timeOrigin;
	if (kind === 'forget') {
		if (wasThere) await parts.people.live.end(person);
		const isFresh = wasThere && Date.now() - at < freshMs;
		await deleteOf(parts, person, signal, isFresh ? undefined : at);
	} else {
		if (wasThere) await parts.responses.end(person);
		await (await parts.jobs.open()).cancel(person, signal, at);
	}
}
