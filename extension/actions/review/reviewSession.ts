/** New messages while they are looked through: what was decided of each, and what is put into files. */

import {
	asAppError,
	inReadersLanguage,
	type ReviewDecision,
	type ReviewHostMessage,
	type ReviewPageMessage,
	type ReviewRow,
	type ReviewState,
	type TextsProgress,
} from '../../../server/protocol/index.ts';

/** A translated file that rows are of. */
export interface ReviewTarget {
	readonly path: string;
	/** BCP 47 */
	readonly to: string;
}

/** What was put into files. */
export interface Written {
	/** Rows that are in their files now; the others could not be put in. */
	readonly ids: ReadonlySet<string>;
	/** Sentence for the user. */
	readonly note: string;
}

/** What the session needs of its surroundings. */
export interface ReviewDeps {
	/** Rows of a file, translated. */
	readonly fill: (
		target: ReviewTarget,
		onProgress: (progress: TextsProgress) => void,
		signal: AbortSignal,
	) => Promise<readonly ReviewRow[]>;
	/** Why a program could not use the text of a row; a part of a sentence. */
	readonly check: (row: ReviewRow) => Promise<string | undefined>;
	readonly write: (rows: readonly ReviewRow[]) => Promise<Written>;
	readonly reveal: (row: ReviewRow) => Promise<void>;
	/** Something failed that the user should see beside the page. */
	readonly onError: (error: unknown) => void;
	readonly languageName: (code: string) => string;
	/** Texts of the page in the user's language. */
	readonly strings: Readonly<Record<string, string>>;
}

/** Lives as long as its page, or until nothing of it is wanted any more. */
export class ReviewSession {
	/** Sends the page a message; another page may take the place of one that was closed. */
	post: (message: ReviewHostMessage) => void = () => undefined;
	readonly #deps: ReviewDeps;
	readonly #targets: readonly ReviewTarget[];
	readonly #rows = new Map<string, ReviewRow>();
	#state: ReviewState;
	#running: AbortController | undefined;
	/** Paths of files whose rows are there. */
	readonly #filled = new Set<string>();

	constructor(source: string, targets: readonly ReviewTarget[], deps: ReviewDeps) {
		this.#deps = deps;
		this.#targets = targets;
		this.#state = {
			source,
			languages: targets.map(({ to }) => ({ to, name: deps.languageName(to) })),
			progress: null,
			problem: null,
			note: null,
		};
	}

	/** Whether something was decided or written that is in no file yet. */
	get isUnwritten(): boolean {
		return [...this.#rows.values()].some(
			({ decision, isEdited }) => decision === 'accepted' || (decision === 'open' && isEdited),
		);
	}

	/** Whether all is said and done. */
	get isDone(): boolean {
		return (
			!this.#running &&
			[...this.#rows.values()].every(
				({ decision }) => decision !== 'open' && decision !== 'accepted',
			)
		);
	}

	/** Translates what the files lack, one file after the other. Failures are shown, not thrown. */
	async fill(): Promise<void> {
		if (this.#running) return;
		const running = new AbortController();
		this.#running = running;
		this.#change({ problem: null });
		try {
			for (const target of this.#targets) {
				if (running.signal.aborted || this.#filled.has(target.path)) continue;
				const language = this.#deps.languageName(target.to);
				this.#change({ progress: { language, done: 0, total: 0 } });
				const onProgress = ({ done, total }: TextsProgress) =>
					this.#change({ progress: { language, done, total } });
				const rows = await this.#deps.fill(target, onProgress, running.signal);
				this.#filled.add(target.path);
				for (const row of rows) this.#rows.set(row.id, row);
				this.#change({}, rows);
			}
		} catch (error) {
			const known = asAppError(error);
			if (!running.signal.aborted && known.code !== 'cancelled') {
				this.#change({ problem: known.message });
				this.#deps.onError(error);
			}
		} finally {
			this.#running = undefined;
			this.#change({ progress: null });
		}
	}

	/** Ends the translation; what is there stays. */
	stop(): void {
		this.#running?.abort();
	}

	/** Does what the page asks for. */
	async handle(message: ReviewPageMessage): Promise<void> {
		switch (message.type) {
			case 'ready':
				return this.post({
					type: 'state',
					state: this.#state,
					rows: [...this.#rows.values()],
					strings: this.#deps.strings,
				});
			case 'stop':
				return this.stop();
			case 'again':
				return this.fill();
			case 'decide':
				return this.#decide(message.ids, message.decision);
			case 'edit':
				return this.#edit(message.id, message.text);
			case 'write':
				return this.#write();
			case 'reveal': {
				const row = this.#rows.get(message.id);
				return row && this.#deps.reveal(row);
			}
		}
	}

	#decide(ids: readonly string[], decision: Exclude<ReviewDecision, 'written'>): void {
		const changed = ids.flatMap((id) => {
			const row = this.#rows.get(id);
			if (!row || row.decision === 'written') return [];
			// Nothing can be put in where nothing stands.
			if (decision === 'accepted' && row.text.trim() === '') return [];
			return [{ ...row, decision }];
		});
		this.#set(changed);
	}

	/** Takes what somebody has written; whoever writes a text wants it. */
	async #edit(id: string, text: string): Promise<void> {
		const row = this.#rows.get(id);
		if (!row || row.decision === 'written' || row.text === text) return;
		const decision = text.trim() === '' ? 'open' : 'accepted';
		const { fault: _, ...rest } = row;
		const edited: ReviewRow = { ...rest, text, decision, isEdited: true };
		this.#set([edited]);
		const fault = await this.#deps.check(edited);
		// Something else was written meanwhile.
		if (fault !== undefined && this.#rows.get(id)?.text === text)
			this.#set([{ ...(this.#rows.get(id) ?? edited), fault }]);
	}

	async #write(): Promise<void> {
		const accepted = [...this.#rows.values()].filter(({ decision }) => decision === 'accepted');
		if (accepted.length === 0) return;
		const { ids, note } = await this.#deps.write(accepted);
		const written = accepted
			.filter(({ id }) => ids.has(id))
			.map((row) => ({ ...(this.#rows.get(row.id) ?? row), decision: 'written' as const }));
		this.#change({ note }, written);
		if (written.length === 0) throw inReadersLanguage('conflict', note);
	}

	#set(rows: readonly ReviewRow[]): void {
		if (rows.length > 0) this.#change({ note: null }, rows);
	}

	#change(state: Partial<ReviewState>, rows: readonly ReviewRow[] = []): void {
		this.#state = { ...this.#state, ...state };
		for (const row of rows) this.#rows.set(row.id, row);
		this.post({ type: 'change', state: this.#state, rows });
	}
}
