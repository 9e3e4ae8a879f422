/** One turn of a chat: a question or an answer, with its buttons. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { siblings } from '../server/protocol/conversation.ts';
import type { Turn } from '../server/protocol/index.ts';
import { AnswerBody, modelNameOf } from './answerBody.tsx';
import { AttachmentView } from './attachmentView.tsx';
import { CopyButton } from './code.tsx';
import { CompareButton, Comparison } from './comparison.tsx';
import { IconButton } from './icons.tsx';
import { useChat } from './page.ts';
import { readAloud, voiceFor } from './speak.ts';

export function TurnView({ turn }: { turn: Turn }): VNode {
	return turn.role === 'user' ? <Question turn={turn} /> : <Answer turn={turn} />;
}

function Question({ turn }: { turn: Turn }): VNode {
	const { t, send, agent } = useChat();
	const isRestorable = agent.value?.questions.includes(turn.id) ?? false;
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
				{isRestorable && (
					<IconButton
						icon="undo"
						label={t('restore')}
						onClick={() => send({ type: 'restore', id: turn.id })}
					/>
				)}
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
	const { page, streaming, comparing, t, send } = useChat();
	const open = streaming.value?.id === turn.id ? streaming.value : undefined;
	if (turn.parent !== null && comparing.value.has(turn.parent)) return <Comparison turn={turn} />;
	return (
		<article class="turn answer" aria-labelledby={`who-${turn.id}`} aria-busy={open !== undefined}>
			<header>
				<h2 id={`who-${turn.id}`}>{modelNameOf(turn, page.value?.models)}</h2>
				<Versions turn={turn} />
				{!open && <CopyButton text={turn.text} label={t('copyAnswer')} />}
				{!open && voiceFor(document.documentElement.lang) && (
					<IconButton
						icon="speaker"
						label={t('readAloud')}
						onClick={() => readAloud(turn.text, document.documentElement.lang)}
					/>
				)}
				{!open && <CompareButton turn={turn} />}
				{!open && (
					<IconButton
						icon="again"
						label={t('regenerate')}
						onClick={() => send({ type: 'regenerate', id: turn.id })}
					/>
				)}
			</header>
			<AnswerBody turn={turn} />
		</article>
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
