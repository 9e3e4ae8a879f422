/** Conversations that a response is being added to: one response at a time, on this server and on its other replicas. */

import { AppError } from '../../protocol/index.ts';
import type { SharedEvents } from './redisEvents.ts';

/** What other replicas have to do with a response, and this one with theirs. */
export interface OtherReplicas {
	/** Has a response that another replica makes ended, and waits until it is; resolves at once when it has ended. */
	stop(person: string, id: string): Promise<void>;
	/** Told of a response of this replica that another one wants to end, or that was deleted. */
	onStop(listener: (person: string, id: string) => void): void;
	/** Takes a conversation; `undefined` while another replica has it. What is returned gives it back. */
	hold(person: string, conversation: string): Promise<(() => void) | undefined>;
	/** What is told of responses in the background. */
	readonly events: SharedEvents;
}

export class OpenConversations {
	readonly #open = new Set<string>();
	readonly #others: Pick<OtherReplicas, 'hold'> | undefined;

	constructor(others: Pick<OtherReplicas, 'hold'> | undefined) {
		this.#others = others;
	}

	/**
	 * Takes a conversation; what is returned gives it back.
	 * @throws AppError `conflict` when another response is being added
	 */
	async hold(person: string, conversation: string): Promise<() => void> {
		const name = `${person} ${conversation}`;
		const conflict = () =>
			new AppError(
				'conflict',
				`Another response is being added to the conversation '${conversation}'. Wait for it.`,
				{ param: 'conversation' },
			);
		if (this.#open.has(name)) throw conflict();
		this.#open.add(name);
		try {
			const release = this.#others && (await this.#others.hold(person, conversation));
			if (this.#others !== undefined && release === undefined) throw conflict();
			return () => {
				this.#open.delete(name);
				release?.();
			};
		} catch (error) {
			this.#open.delete(name);
			throw error;
		}
	}
}
