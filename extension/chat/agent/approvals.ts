/** What a person has allowed the tools of the agent to do. Knows no editor. */

import type { ApprovalChoice, ApprovalRequest } from '../../../server/protocol/index.ts';

/** What is kept beyond the window. */
export interface Memory {
	get<T>(key: string, usual: T): T;
	update(key: string, value: unknown): PromiseLike<void>;
}

/** A tool that waits for consent. */
export interface ConsentRequest {
	readonly tool: string;
	readonly detail: string;
	readonly scope: string;
	readonly eachTime?: boolean;
}

const key = 'nearglot.agent.allowed';

export class Approvals {
	readonly #memory: Memory;
	readonly #onChange: () => void;
	readonly #session = new Set<string>();
	#open: {
		readonly request: ApprovalRequest;
		readonly decide: (choice: ApprovalChoice) => void;
	}[] = [];
	#count = 0;

	/** @param memory what *always* is kept in: of this workspace */
	constructor(memory: Memory, onChange: () => void) {
		this.#memory = memory;
		this.#onChange = onChange;
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
		const name = `${tool}\n${scope}`;
		if (signal.aborted) return false;
		if (!eachTime && this.#isAllowed(name)) return true;
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
		if (eachTime) return choice !== 'no';
		if (choice === 'session') this.#session.add(name);
		if (choice === 'always')
			await this.#memory.update(key, [...this.#memory.get<readonly string[]>(key, []), name]);
		return choice !== 'no';
	}

	/** A person has chosen; an id that nobody waits for changes nothing. */
	decide(id: string, choice: ApprovalChoice): void {
		const found = this.#open.find(({ request }) => request.id === id);
		if (!found) return;
		this.#open = this.#open.filter((one) => one !== found);
		found.decide(choice);
		this.#onChange();
	}

	#isAllowed(name: string): boolean {
		return this.#session.has(name) || this.#memory.get<readonly string[]>(key, []).includes(name);
	}
}
