/**
 * The work on one recording: transcribing, correcting with undo, translating. Knows no editor and no
 * daemon; whatever touches one is a dependency.
 */

import { defined } from './defined.ts';
import { AppError } from './errors.ts';
import { asAppError } from './errorWire.ts';
import type { TranscriptDelta } from './methods.ts';
import type { Transcript } from './speechTypes.ts';
import {
	editLine,
	lineOf,
	mergeLines,
	nameSpeaker,
	splitLine,
	type TranscriptDocument,
	type TranscriptLine,
	transcriptDocumentOf,
	untranslated,
} from './transcriptDocument.ts';
import type { TranscriptOutline } from './transcriptOutlineTypes.ts';
import type {
	LineText,
	TranscribeChoice,
	TranscriptHostMessage,
	TranscriptJob,
	TranscriptPageMessage,
	TranscriptState,
} from './transcriptPage.ts';

export interface TranscriptSessionDeps {
	/** Hears the recording; rejects with AppError. */
	readonly transcribe: (
		choice: TranscribeChoice,
		onDelta: (delta: TranscriptDelta) => void,
		signal: AbortSignal,
	) => Promise<Transcript>;
	/** Translates texts, in order; rejects with AppError. */
	readonly translate: (
		texts: readonly string[],
		languages: { readonly from: string; readonly to: string },
		signal: AbortSignal,
	) => Promise<readonly string[]>;
	/** Sums a transcript up; rejects with AppError. */
	readonly outline: (
		document: TranscriptDocument,
		onProgress: (done: number, total: number) => void,
		signal: AbortSignal,
	) => Promise<TranscriptOutline>;
	/** Keeps the transcript; called after every change, one call at a time. */
	readonly save: (document: TranscriptDocument | null) => Promise<void>;
	readonly post: (message: TranscriptHostMessage) => void;
	/** Called when anything of {@link TranscriptSession.state} has changed. */
	readonly onState: () => void;
	/** Puts the message of an error into the language of whoever works on it. */
	readonly localised?: (error: AppError) => AppError;
	readonly nowMs: () => number;
}

/** Steps that can be undone. */
const undoSteps = 200;
/** Lines translated with one request: few enough to show progress and to stop soon. */
const translateLines = 12;

/** Lives as long as someone works on the recording. */
export class TranscriptSession {
	readonly #deps: TranscriptSessionDeps;
	#document: TranscriptDocument | null;
	#past: (TranscriptDocument | null)[] = [];
	#future: (TranscriptDocument | null)[] = [];
	#transcribed: TranscriptLine[] = [];
	#job: TranscriptJob | null = null;
	#stop: AbortController | undefined;
	#problem: string | null = null;
	#saving: Promise<void> = Promise.resolve();
	choice: TranscribeChoice = { model: '', language: '', english: false };

	constructor(deps: TranscriptSessionDeps, document: TranscriptDocument | null) {
		this.#deps = deps;
		this.#document = document;
	}

	get document(): TranscriptDocument | null {
		return this.#document;
	}

	/** Lines of a transcription that is not finished. */
	get transcribed(): readonly TranscriptLine[] {
		return this.#transcribed;
	}

	get state(): Pick<TranscriptState, 'job' | 'choice' | 'canUndo' | 'canRedo' | 'problem'> {
		return {
			job: this.#job,
			choice: this.choice,
			canUndo: this.#past.length > 0,
			canRedo: this.#future.length > 0,
			problem: this.#problem,
		};
	}

	/** Resolves when all changes so far are kept. */
	get saved(): Promise<void> {
		return this.#saving;
	}

	cancel(): void {
		this.#stop?.abort();
	}

	/** Does what a page asks for when it concerns the transcript alone; null for anything else. */
	handle(message: TranscriptPageMessage): Promise<void> | null {
		switch (message.type) {
			case 'translate':
				return this.translate(message.to);
			case 'outline':
				return this.outline();
			case 'edit':
				return this.edit(message.id, message.text);
			case 'replace':
				return this.replace(message.lines);
			case 'split':
				return this.#reshape((document) => splitLine(document, message.id, message.word));
			case 'merge':
				return this.#reshape((document) => mergeLines(document, message.id));
			case 'nameSpeaker':
				this.nameSpeaker(message.speaker, message.name);
				return Promise.resolve();
			case 'cancel':
			case 'undo':
			case 'redo':
			case 'clearTranslation':
			case 'clearOutline':
				this[message.type]();
				return Promise.resolve();
			default:
				return null;
		}
	}

	/** A new transcript instead of the one there is; undo brings that back. */
	async transcribe(choice: TranscribeChoice): Promise<void> {
		this.choice = choice;
		const speed = speedometer(this.#deps.nowMs);
		this.#transcribed = [];
		await this.#work('transcribe', async (signal) => {
			this.#deps.post({ type: 'document', document: null });
			try {
				const transcript = await this.#deps.transcribe(
					choice,
					(delta) => {
						if (signal.aborted) return;
						if (delta.segments && delta.segments.length > 0) {
							const lines = delta.segments.map(lineOf);
							this.#transcribed.push(...lines);
							this.#deps.post({ type: 'transcribed', lines });
						}
						if (delta.phase) this.#setJob({ phase: delta.phase });
						if (!delta.progress) return;
						const { done, total } = delta.progress;
						this.#setJob({
							phase: 'running',
							done,
							...defined({ total }),
							...speed(done),
						});
					},
					signal,
				);
				this.#change(transcriptDocumentOf(transcript));
			} finally {
				this.#transcribed = [];
				this.#postDocument();
			}
		});
	}

	/** A transcript that was made in the background, where there is none yet; undo takes it back. */
	take(transcript: Transcript): void {
		if (this.#document || this.#job) return;
		this.#change(transcriptDocumentOf(transcript));
		this.#postDocument();
	}

	/** Another text in a line; its translation follows when there is one. */
	async edit(id: number, text: string): Promise<void> {
		if (!this.#document || this.#job?.kind === 'transcribe') return;
		const changed = editLine(this.#document, id, text);
		const before = this.#document.lines.find((line) => line.id === id);
		const after = changed.lines.find((line) => line.id === id);
		if (before === after) return;
		this.#change(changed);
		// A long transcript takes long to send.
		if (after) this.#deps.post({ type: 'line', line: after, cuts: changed.cuts ?? [] });
		else this.#postDocument();
		const to = changed.translation?.to;
		if (to !== undefined && after && !this.#job) await this.translate(to);
	}

	/** Other texts in several lines, as one step; an empty text takes its line away. */
	replace(lines: readonly LineText[]): Promise<void> {
		return this.#reshape((document) =>
			lines.reduce((whole, { id, text }) => editLine(whole, id, text), document),
		);
	}

	/** A change of many lines as one step; what is no longer translated is translated again. */
	async #reshape(change: (document: TranscriptDocument) => TranscriptDocument): Promise<void> {
		if (!this.#document || this.#job?.kind === 'transcribe') return;
		const changed = change(this.#document);
		const { lines } = this.#document;
		const same = changed.lines.every((line, place) => line === lines[place]);
		if (same && changed.lines.length === lines.length) return;
		this.#change(changed);
		this.#postDocument();
		const to = changed.translation?.to;
		if (to !== undefined && !this.#job) await this.translate(to);
	}

	/** Another name for a speaker, wherever they speak. */
	nameSpeaker(speaker: string, name: string): void {
		if (!this.#document || this.#job?.kind === 'transcribe') return;
		const changed = nameSpeaker(this.#document, speaker, name);
		if (changed === this.#document) return;
		this.#change(changed);
		this.#postDocument();
	}

	undo(): void {
		this.#move(this.#past, this.#future);
	}

	redo(): void {
		this.#move(this.#future, this.#past);
	}

	/** Translates what is not yet translated into this language; a cancel keeps what is done. */
	async translate(to: string): Promise<void> {
		const start = this.#document;
		if (!start || this.#job) return;
		const kept = start.translation?.to === to ? start.translation.lines : {};
		let current: TranscriptDocument = { ...start, translation: { to, lines: kept } };
		const todo = untranslated(current);
		if (todo.length === 0) return this.#show(current);
		await this.#work('translate', async (signal) => {
			const speed = speedometer(this.#deps.nowMs);
			this.#setJob({ phase: 'running', done: 0, total: todo.length });
			for (let at = 0; at < todo.length; at += translateLines) {
				const lines = todo.slice(at, at + translateLines);
				const texts = await this.#deps.translate(
					lines.map(({ text }) => text),
					{ from: start.language, to },
					signal,
				);
				// Lines may have been corrected meanwhile: what counts is the text that was translated.
				const added = Object.fromEntries(
					lines.map(({ id, text }, place) => [id, { source: text, text: texts[place] ?? '' }]),
				);
				const known = current.translation?.lines ?? {};
				current = {
					...(this.#document ?? current),
					translation: { to, lines: { ...known, ...added } },
				};
				this.#show(current);
				const done = at + lines.length;
				this.#setJob({ phase: 'running', done, total: todo.length, ...speed(done) });
			}
		});
	}

	/** A summary and chapters; undo takes them back. */
	async outline(): Promise<void> {
		const start = this.#document;
		if (!start || this.#job || start.lines.length === 0) return;
		await this.#work('outline', async (signal) => {
			const onProgress = (done: number, total: number) =>
				this.#setJob({ phase: 'running', done, total });
			const outline = await this.#deps.outline(start, onProgress, signal);
			this.#change({ ...(this.#document ?? start), outline });
			this.#postDocument();
		});
	}

	/** Takes summary and chapters away; undo brings them back. */
	clearOutline(): void {
		if (!this.#document?.outline || this.#job) return;
		const { outline: _, ...rest } = this.#document;
		this.#change(rest);
		this.#postDocument();
	}

	/** Takes the translation away; it can be made again. */
	clearTranslation(): void {
		if (!this.#document?.translation) return;
		if (this.#job?.kind === 'translate') this.cancel();
		const { translation: _, ...rest } = this.#document;
		this.#show(rest);
	}

	/** The whole as a page needs it that has just opened. */
	postAll(): void {
		this.#deps.onState();
		this.#postDocument();
		if (this.#transcribed.length > 0)
			this.#deps.post({ type: 'transcribed', lines: this.#transcribed });
	}

	async #work(
		kind: TranscriptJob['kind'],
		run: (signal: AbortSignal) => Promise<void>,
	): Promise<void> {
		if (this.#job) throw new AppError('invalid_request', 'This recording is being worked on.');
		const stop = new AbortController();
		this.#stop = stop;
		this.#problem = null;
		this.#job = { kind, phase: 'connecting', done: 0 };
		this.#deps.onState();
		try {
			await run(stop.signal);
		} catch (error) {
			const known = asAppError(error);
			if (!stop.signal.aborted && known.code !== 'cancelled')
				this.#problem = (this.#deps.localised?.(known) ?? known).message;
			throw stop.signal.aborted ? new AppError('cancelled') : known;
		} finally {
			this.#job = null;
			this.#stop = undefined;
			this.#deps.onState();
		}
	}

	#setJob(change: Partial<TranscriptJob>): void {
		if (!this.#job) return;
		this.#job = { ...this.#job, ...change };
		this.#deps.post({ type: 'job', job: this.#job });
	}

	/** A change of the text, which can be undone. */
	#change(document: TranscriptDocument): void {
		this.#past = [...this.#past, this.#document].slice(-undoSteps);
		this.#future = [];
		this.#document = document;
		this.#save();
		this.#deps.onState();
	}

	/** A change that needs no undoing: translations can be made again. */
	#show(document: TranscriptDocument): void {
		this.#document = document;
		this.#save();
		this.#postDocument();
	}

	#move(from: (TranscriptDocument | null)[], to: (TranscriptDocument | null)[]): void {
		if (this.#job || from.length === 0) return;
		const document = from.pop() ?? null;
		to.push(this.#document);
		this.#document = document;
		this.#save();
		this.#deps.onState();
		this.#postDocument();
	}

	#postDocument(): void {
		this.#deps.post({ type: 'document', document: this.#document });
	}

	#save(): void {
		const document = this.#document;
		this.#saving = this.#saving
			.then(() => this.#deps.save(document))
			.catch((error: unknown) => {
				this.#problem = asAppError(error).message;
				this.#deps.onState();
			});
	}
}

/**
 * Tells how fast `done` grows. The first piece is not counted: the model may have been loaded for it.
 */
function speedometer(nowMs: () => number): (done: number) => { speed?: number } {
	let first: { readonly done: number; readonly ms: number } | undefined;
	return (done) => {
		const ms = nowMs();
		first ??= { done, ms };
		const seconds = (ms - first.ms) / 1000;
		return done > first.done && seconds > 0 ? { speed: (done - first.done) / seconds } : {};
	};
}
