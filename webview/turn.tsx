/** One turn of a chat: a question or an answer, with its buttons. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { siblings } from '../server/protocol/conversation.ts';
import type { Turn } from '../server/protocol/index.ts';
import { AttachmentView } from './attachmentView.tsx';
import type { Streaming } from './chatState.ts';
import { CopyButton } from './code.tsx';
import { IconButton } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { TurnContext, useChat } from './page.ts';
import { ProgressLine } from './progressLine.tsx';
import { readAloud, voiceFor } from './speak.ts';
import { ToolSteps } from './toolSteps.tsx';

export function TurnView({ turn }: { turn: Turn }): VNode {
	return turn.role === 'user' ? <Question turn={turn} /> : <Answer turn={turn} />;
}

function Question({ turn }: { turn: Turn }): VNode {
	const { t, send } = useChat();
	const editing = useMemo(() => signal(false), []);
	const input = useRef<HTMLTextAreaElement>(null);
	const submit = () => {
		const text = input.current?.value ?? '';
		editing.value = false;
		if (text.trim() !== '') send({ type: 'edit', id: turn.id, text });
	};
	return (
		<article class="turn question" aria-labelledby={`who-${turn.id}`}>
			<header>
				<h2 id={`who-${turn.id}`}>{t('you')}</h2>
				<Versions turn={turn} />
				<IconButton
					icon="edit"
					label={t('edit')}
					onClick={() => {
						editing.value = !editing.value;
					}}
				/>
			</header>
			{turn.attachments?.map((attachment, index) => (
				<AttachmentView turn={turn} attachment={attachment} index={index} key={index} />
			))}
			{editing.value ? (
				<form
					class="edit"
					onSubmit={(event) => {
						event.preventDefault();
						submit();
					}}
				>
					<textarea ref={input} aria-label={t('edit')} rows={3} defaultValue={turn.text} />
					<div class="row">
						<button type="submit">{t('send')}</button>
						<button
							type="button"
							class="secondary"
							onClick={() => {
								editing.value = false;
							}}
						>
							{t('cancel')}
						</button>
					</div>
				</form>
			) : (
				<p class="plain">{turn.text}</p>
			)}
		</article>
	);
}

function Answer({ turn }: { turn: Turn }): VNode {
	const { page, streaming, t, send } = useChat();
	const open = streaming.value?.id === turn.id ? streaming.value : undefined;
	const done = useMemo(
		(): Streaming => ({
			id: turn.id,
			text: signal(turn.text),
			reasoning: signal(turn.reasoning ?? ''),
		}),
		[turn.id, turn.text, turn.reasoning],
	);
	const shown = open ?? done;
	const model = page.value?.models.find(({ id }) => id === turn.model);
	return (
		<article class="turn answer" aria-labelledby={`who-${turn.id}`} aria-busy={open !== undefined}>
			<header>
				<h2 id={`who-${turn.id}`}>{model?.displayName ?? turn.model ?? 'Nearglot'}</h2>
				<Versions turn={turn} />
				{!open && <CopyButton text={turn.text} label={t('copyAnswer')} />}
				{!open && voiceFor(document.documentElement.lang) && (
					<IconButton
						icon="speaker"
						label={t('readAloud')}
						onClick={() => readAloud(turn.text, document.documentElement.lang)}
					/>
				)}
				{!open && (
					<IconButton
						icon="again"
						label={t('regenerate')}
						onClick={() => send({ type: 'regenerate', id: turn.id })}
					/>
				)}
			</header>
			<Reasoning stream={shown} />
			<ToolSteps steps={turn.steps ?? []} running={open !== undefined} />
			<TurnContext.Provider value={turn.id}>
				<Markdown text={shown.text} />
			</TurnContext.Provider>
			{open && <ProgressLine />}
			{!open && <Ending turn={turn} />}
		</article>
	);
}

function Reasoning({ stream }: { stream: Streaming }): VNode | null {
	const { t } = useChat();
	if (stream.reasoning.value === '') return null;
	return (
		<details class="reasoning">
			<summary>{t('reasoning')}</summary>
			<Markdown text={stream.reasoning} />
		</details>
	);
}

/** Why the answer ended, when that is worth saying, and how fast it came. */
function Ending({ turn }: { turn: Turn }): VNode | null {
	const { t } = useChat();
	if (turn.error) {
		return (
			<>
				<p class="error" role="alert">
					<strong>{t(turn.text === '' ? 'failed' : 'brokenOff')}.</strong> {turn.error.message}
				</p>
				<TryAgain turn={turn} />
			</>
		);
	}
	if (turn.finishReason === 'stopped') return <p class="note">{t('stopped')}</p>;
	if (turn.finishReason === 'length') return <p class="note">{t('cutOff')}</p>;
	if (turn.finishReason === undefined) {
		return (
			<>
				<p class="note">{t('interrupted')}</p>
				<TryAgain turn={turn} />
			</>
		);
	}
	if (!turn.timings || turn.timings.predicted_n === 0) return null;
	const { predicted_n: tokens, predicted_per_second: speed } = turn.timings;
	return <p class="note speed">{t('speed', tokens, speed.toFixed(speed < 10 ? 1 : 0))}</p>;
}

/** Asks the same question once more; what arrived stays as another version. */
function TryAgain({ turn }: { turn: Turn }): VNode {
	const { t, send } = useChat();
	return (
		<p class="row">
			<button
				type="button"
				class="secondary"
				onClick={() => send({ type: 'regenerate', id: turn.id })}
			>
				{t('tryAgain')}
			</button>
		</p>
	);
}

/** Which of several versions of a turn is shown, with buttons to the others. */
function Versions({ turn }: { turn: Turn }): VNode | null {
	const { page, t, send } = useChat();
	const all = page.value ? siblings(page.value.conversation, turn) : [];
	if (all.length < 2) return null;
	const place = all.findIndex(({ id }) => id === turn.id);
	const go = (step: number) => {
		const other = all[place + step];
		if (other) send({ type: 'show', id: other.id });
	};
	return (
		<span class="versions">
			<IconButton
				icon="previous"
				label={t('previous')}
				disabled={place === 0}
				onClick={() => go(-1)}
			/>
			<span role="img" aria-label={t('branch', place + 1, all.length)}>
				{place + 1}/{all.length}
			</span>
			<IconButton
				icon="next"
				label={t('next')}
				disabled={place === all.length - 1}
				onClick={() => go(1)}
			/>
		</span>
	);
}
