/** What a person is asked before a tool of the agent runs. Knows no editor. */

import type { ApprovalChoice, ApprovalRequest } from '../../../server/protocol/index.ts';
import type { Allowances, GivenAllowance } from './allowances.ts';

/** A tool that waits for consent. */
export interface ConsentRequest {
	readonly tool: string;
	readonly detail: string;
	readonly scope: string;
	readonly eachTime?: boolean;
}

export class Approvals {
	readonly #allowances: Allowances;
	readonly #onChange: () => void;
	readonly #onError: (error: unknown) => void;
	#open: {
		readonly request: ApprovalRequest;
		readonly decide: (choice: ApprovalChoice) => void;
	}[] = [];
	#count = 0;

	/** @param onError hears why something could not be allowed for longer */
	constructor(
		allowances: Allowances,
		onChange: () => void,
		onError: (error: unknown) => void = () => {},
	) {
		this.#allowances = allowances;
		this.#onChange = onChange;
		this.#onError = onError;
	}

	/** The question that is asked now. */
	get request(): ApprovalRequest | null {
		return this.#open[0]?.request ?? null;
	}

	/** Resolves with whether it may run; false when the answer is stopped meanwhile. */
	async ask(
		{ tool, detail, scope, eachTime = false }: ConsentRequest,
		signal: AbortSignal,
	): Promise<boolean> {
		// What cannot be read is asked for.
		const isAllowed = !eachTime && (await this.#allowances.has({ tool, scope }).catch(() => false));
		if (isAllowed) return !signal.aborted;
		if (signal.aborted) return false;
		const id = String(++this.#count);
		const choice = await new Promise<ApprovalChoice>((resolve) => {
			const stop = () => this.decide(id, 'no');
			const decide = (chosen: ApprovalChoice) => {
				signal.removeEventListener('abort', stop);
				resolve(chosen);
			};
			this.#open.push({ request: { id, tool, detail, eachTime }, decide });
			signal.addEventListener('abort', stop, { once: true });
			this.#onChange();
		});
		const isLonger = choice === 'session' || choice === 'always';
		if (isLonger && !eachTime) await this.#give({ tool, scope, isAlways: choice === 'always' });
		return choice !== 'no';
	}

	/** What cannot be kept, such as on a full disk, is allowed in this session: a person has said yes. */
	async #give(given: GivenAllowance): Promise<void> {
		try {
			await this.#allowances.give(given);
		} catch (error) {
			await this.#allowances.give({ ...given, isAlways: false });
			this.#onError(error);
		}
	}

	/** A person has chosen; an id that nobody waits for changes nothing. */
	decide(id: string, choice: ApprovalChoice): void {
		const found = this.#open.find(({ request }) => request.id === id);
		if (!found) return;
		this.#open = this.#open.filter((one) => one !== found);
		found.decide(choice);
		this.#onChange();
	}
}
