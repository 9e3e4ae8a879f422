/**
 * One chat: its turns, the answer being written and everything a page may ask of it. Knows no
 * editor; what touches one is a dependency.
 */

import type { PageState } from './chatPageMessages.ts';
import type { ChatSessionDeps, QuestionOptions } from './chatSessionDeps.ts';
import { requestTitle, wantsTitle } from './chatTitle.ts';
import {
	type Attachment,
	addTurn,
	type Conversation,
	messagesOf,
	newestLeaf,
	type Turn,
	updateTurn,
} from './conversation.ts';
import { defined } from './defined.ts';
import { asAppError, type ErrorWire, toErrorWire } from './errorWire.ts';
import { mergeConversations } from './mergeConversations.ts';
import type { ChatDelta, ChatEnd, ChatParams, ChatProgress } from './methods.ts';
import { type ModelInfo, usualChatModel } from './modelTypes.ts';
import { completeWithTools, type ToolSet, type ToolStep } from './toolLoop.ts';

/** Longest time that what arrives of an answer is kept in memory only. */
const saveWithinMs = 1000;

/** Why an answer was given up that nobody has stopped: it stays without an end, to be asked for again. */
const windowCloses = Symbol('the window closes');

const laterByClock = (ms: number, run: () => void) => {
	const timer = setTimeout(run, ms);
	return () => clearTimeout(timer);
};

/** A chat that goes on while no page shows it. */
export class ChatSession {
	readonly #deps: ChatSessionDeps;
	#conversation: Conversation;
	#models: readonly ModelInfo[] = [];
	#model: string;
	#attachments: readonly Attachment[] = [];
	#answering: Turn | undefined;
	#progress: ChatProgress | null = null;
	#stop: AbortController | undefined;
	/** Ends the search for a title. */
	#naming: AbortController | undefined;
	/** The answer that was begun last, until it is saved. */
	#written: Promise<void> = Promise.resolve();

	constructor(deps: ChatSessionDeps, options: { model: string; system: string }) {
		this.#deps = deps;
		this.#model = options.model;
		this.#conversation = this.#empty(options.system);
	}

	get conversation(): Conversation {
		return this.#conversation;
	}

	get state(): Omit<PageState, 'capabilities'> {
		return {
			conversation: this.#answering
				? updateTurn(this.#conversation, this.#answering)
				: this.#conversation,
			answering: this.#answering?.id ?? null,
			progress: this.#progress,
			models: this.#models,
			model: this.#model,
			attachments: this.#attachments,
			tools: this.#toolSet().tools.map((tool) => tool.function.name),
		};
	}

	set models(models: readonly ModelInfo[]) {
		this.#models = models;
	}

	set model(model: string) {
		this.#model = model;
	}

	attach(attachment: Attachment): void {
		this.#attachments = [...this.#attachments, attachment];
	}

	detach(index: number): void {
		this.#attachments = this.#attachments.filter((_, place) => place !== index);
	}

	/** Starts an empty chat; the one before stays in the store. */
	reset(system: string): void {
		this.#leave();
		this.#conversation = this.#empty(system);
	}

	/** Takes over what a list has changed of the chat that is shown: its next save must not bring back the old. */
	relabel(id: string, label: Pick<Conversation, 'title' | 'pinned'>): void {
		if (this.#conversation.id === id) this.#conversation = { ...this.#conversation, ...label };
	}

	/** Takes in what another page of the same chat has added to what is kept of it; what is shown stays. */
	join(kept: Conversation | undefined): void {
		const own = this.state.conversation;
		if (kept?.id !== own.id) return;
		const merged = mergeConversations(own, kept);
		const isKnown = merged.turns.every((turn, index) => turn === own.turns[index]);
		if (isKnown && merged.title === own.title && merged.pinned === own.pinned) return;
		this.#conversation = merged;
		this.onState?.();
	}

	open(conversation: Conversation): void {
		this.#leave();
		this.#conversation = conversation;
	}

	/** An answer that is being written ends in the store; the next chat waits for nothing. */
	#leave(): void {
		this.stop();
		this.#stop = undefined;
		this.#answering = undefined;
		this.#progress = null;
		this.#attachments = [];
	}

	/**
	 * Asks a new question at the end of the shown branch. `instruction` goes before it; `complete`
	 * answers instead of the model.
	 */
	async send(text: string, options: QuestionOptions = {}): Promise<void> {
		const attachments = this.#attachments;
		this.#attachments = [];
		await this.#send(text, this.#conversation.leaf, attachments, options);
	}

	/** Asks a changed question beside an old one, with the same attachments. */
	async edit(id: string, text: string): Promise<void> {
		const turn = this.#turn(id);
		if (turn?.role !== 'user') return;
		const options = turn.instruction === undefined ? {} : { instruction: turn.instruction };
		await this.#send(text, turn.parent, turn.attachments ?? [], options);
	}

	/** Asks for another answer to the question before an answer; of another model than the chosen one, when it is named. */
	async regenerate(id: string, model?: string): Promise<void> {
		const turn = this.#turn(id);
		if (turn?.role === 'assistant') await this.#answer(turn.parent, this.#deps.complete, model);
	}

	/** Shows the newest end of the branch a turn is on. */
	show(id: string): void {
		if (!this.#turn(id) || this.#answering) return;
		this.#conversation = { ...this.#conversation, leaf: newestLeaf(this.#conversation, id) };
	}

	stop(): void {
		this.#stop?.abort();
		this.#naming?.abort();
	}

	/** Gives up the answer, and resolves when what arrived is saved: for a window that goes away. */
	async close(): Promise<void> {
		const turn = this.#answering;
		this.#stop?.abort(windowCloses);
		this.#naming?.abort();
		// First what is there: the writer of the answer may notice late.
		if (turn) await this.#deps.save(updateTurn(this.#conversation, turn));
		await this.#written;
	}

	/** The prompt that asking `text` now would send, with what would go along by itself. */
	preview(text: string, more: readonly Attachment[] = []): ChatParams {
		const attachments = [...this.#attachments, ...more];
		const turn = this.#userTurn(text, this.#conversation.leaf, attachments);
		const next = addTurn(this.#conversation, turn);
		const { tools } = this.#toolSet();
		return {
			...chosen(this.#model),
			...asChat,
			messages: messagesOf(next, next.leaf),
			...(tools.length > 0 ? { tools } : {}),
		};
	}

	async #send(
		text: string,
		parent: string | null,
		attachments: readonly Attachment[],
		{ instruction, complete }: QuestionOptions,
	): Promise<void> {
		if (text.trim() === '') return;
		this.stop();
		const turn = {
			...this.#userTurn(text, parent, attachments),
			...defined({ instruction }),
		};
		this.#conversation = addTurn(this.#conversation, turn);
		await this.#answer(turn.id, complete);
	}

	#answer(
		parent: string | null,
		complete = this.#deps.complete,
		model = this.#model,
	): Promise<void> {
		const written = this.#write(parent, complete, model);
		this.#written = written.catch(() => undefined);
		return written;
	}

	async #write(
		parent: string | null,
		complete: ChatSessionDeps['complete'],
		model: string,
	): Promise<void> {
		this.stop();
		const stop = new AbortController();
		this.#stop = stop;
		let turn: Turn = {
			id: this.#deps.id(),
			parent,
			role: 'assistant',
			text: '',
			// Another one than the chosen one is told before it has answered.
			...defined({ model: model === this.#model ? undefined : model }),
			createdAt: this.#deps.now().toISOString(),
		};
		const messages = messagesOf(this.#conversation, parent);
		this.#conversation = addTurn(this.#conversation, turn);
		const { id } = this.#conversation;
		const shown = () => this.#conversation.id === id && this.#answering?.id === turn.id;
		this.#answering = turn;
		this.#progress = { phase: 'connecting' };
		this.onState?.();
		let unsave: (() => void) | undefined;
		const saveSoon = () => {
			unsave ??= (this.#deps.later ?? laterByClock)(saveWithinMs, () => {
				unsave = undefined;
				const current = this.#conversation.id === id ? this.#conversation : before;
				void this.#deps.save(updateTurn(current, turn));
			});
		};
		const onDelta = (delta: ChatDelta) => {
			const { text = '', reasoning = '', progress, omittedTurns } = delta;
			turn = {
				...turn,
				...defined({ omittedTurns }),
				text: turn.text + text,
				...(turn.reasoning || reasoning ? { reasoning: (turn.reasoning ?? '') + reasoning } : {}),
			};
			if (text !== '' || reasoning !== '') saveSoon();
			if (!shown()) return;
			this.#answering = turn;
			if (omittedTurns !== undefined) this.#deps.post({ type: 'turn', turn, answering: turn.id });
			if (progress) this.#setProgress(progress);
			if (text === '' && reasoning === '') return;
			if (this.#progress) this.#setProgress(null);
			this.#deps.post({ type: 'delta', id: turn.id, text, reasoning });
		};
		const onSteps = (steps: readonly ToolStep[]) => {
			// What was said before the calls is in the steps now.
			turn = { ...turn, text: '', steps };
			saveSoon();
			if (!shown()) return;
			this.#answering = turn;
			this.#setProgress(null);
			this.#deps.post({ type: 'turn', turn, answering: turn.id });
		};
		const toolSet = complete === this.#deps.complete ? this.#toolSet(model) : noTools;
		const before = this.#conversation;
		// The question is kept even when the window closes before its answer.
		void this.#deps.save(before);
		try {
			const params = { ...chosen(model), ...asChat, messages, conversation: id };
			const reader = { onDelta, onSteps, text: () => turn.text };
			const end = await completeWithTools(complete, params, toolSet, reader, stop.signal);
			turn = finished(turn, end);
		} catch (error) {
			if (!stop.signal.aborted) turn = { ...turn, error: this.#wireOf(error) };
			else if (stop.signal.reason !== windowCloses) turn = { ...turn, finishReason: 'stopped' };
		}
		unsave?.();
		await this.#finish(turn, shown(), before);
		// Another chat may be shown by now: nothing of it goes to this one's model.
		const isShown = this.#conversation.id === id && !stop.signal.aborted;
		if (complete === this.#deps.complete && isShown) void this.#name(this.#conversation, model);
	}

	#wireOf(error: unknown): ErrorWire {
		const known = asAppError(error);
		return toErrorWire(this.#deps.localised?.(known) ?? known);
	}

	async #finish(turn: Turn, shown: boolean, before: Conversation): Promise<void> {
		const current = this.#conversation.id === before.id;
		const whole = updateTurn(current ? this.#conversation : before, turn);
		if (current) this.#conversation = whole;
		if (shown) {
			this.#answering = undefined;
			this.#progress = null;
			this.#stop = undefined;
		}
		try {
			// Saved first: what is shown as finished survives a reload.
			await this.#deps.save(whole);
		} finally {
			if (current && this.#conversation.id === whole.id) {
				const answering = this.#answering?.id ?? null;
				const { text: _text, reasoning: _reasoning, ...end } = turn;
				// The page that was shown the words has them.
				this.#deps.post(
					shown ? { type: 'end', turn: end, answering } : { type: 'turn', turn, answering },
				);
			}
		}
	}

	/** Gives the chat a title once its first answer is there; a courtesy that nobody waits for. */
	async #name(chat: Conversation, model: string): Promise<void> {
		const { origin } = this.#modelOf(model) ?? {};
		// The built-in model would make something up.
		if (origin === undefined || origin === 'built-in' || !wantsTitle(chat)) return;
		this.#naming = new AbortController();
		const params = { ...chosen(model), conversation: chat.id };
		const { signal } = this.#naming;
		const title = await requestTitle(this.#deps.complete, chat, params, signal).catch(
			() => undefined,
		);
		const current = this.#conversation;
		// Somebody may have named the chat, or left it.
		if (title === undefined || current.id !== chat.id || current.title !== chat.title) return;
		this.#conversation = { ...current, title };
		await this.#deps.save(this.#conversation);
		this.onState?.();
	}

	#setProgress(progress: ChatProgress | null): void {
		this.#progress = progress;
		this.#deps.post({ type: 'progress', progress });
	}

	/** Called when more has changed than a message of its own tells. */
	onState: (() => void) | undefined;

	#userTurn(text: string, parent: string | null, attachments: readonly Attachment[]): Turn {
		return {
			id: this.#deps.id(),
			parent,
			role: 'user',
			text,
			...(attachments.length > 0 ? { attachments } : {}),
			createdAt: this.#deps.now().toISOString(),
		};
	}

	/** Tools for the model that will answer; the usual one when none was chosen. */
	#toolSet(model = this.#model): ToolSet {
		return this.#deps.tools?.(this.#modelOf(model)) ?? noTools;
	}

	#modelOf(model: string): ModelInfo | undefined {
		return this.#models.find(({ id }) => id === model) ?? usualChatModel(this.#models);
	}

	#turn(id: string): Turn | undefined {
		return this.#conversation.turns.find((turn) => turn.id === id);
	}

	#empty(system: string): Conversation {
		const createdAt = this.#deps.now().toISOString();
		return {
			id: this.#deps.id(),
			title: '',
			system,
			createdAt,
			updatedAt: createdAt,
			turns: [],
			leaf: null,
		};
	}
}

/** A chat goes on for ever: its oldest turns are left out where the model has no room for them. */
const asChat = { truncation: 'auto' } as const;

const noTools: ToolSet = { tools: [], run: () => Promise.reject(new Error('no tools')) };

function finished(turn: Turn, { toolCalls: _, ...end }: ChatEnd): Turn {
	return { ...turn, ...end };
}

const chosen = (model: string): { model?: string } => (model === '' ? {} : { model });
