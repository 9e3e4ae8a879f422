/** One new message: what it says, what it could say, what is known of that, and the buttons. */

import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReviewDecision, ReviewRow } from '../../server/protocol/index.ts';
import { Icon, IconButton } from '../icons.tsx';
import { lowQuality, type ReviewPageState } from './reviewState.ts';

interface RowProps {
	readonly row: ReviewRow;
	readonly page: ReviewPageState;
	/** The first row is the one that Tab reaches. */
	readonly isFirst: boolean;
}

export function ReviewRowView({ row, page, isFirst }: RowProps): VNode {
	const { t, send, editing } = page;
	const { id, key, source, decision, to, text, before } = row;
	const item = useRef<HTMLLIElement>(null);
	const isEditing = editing.value === id;
	const isWritten = decision === 'written';
	const canAccept = text.trim() !== '';
	const decide = (wanted: Exclude<ReviewDecision, 'written'>) =>
		send({ type: 'decide', ids: [id], decision: decision === wanted ? 'open' : wanted });
	const edit = () => {
		if (!isWritten) editing.value = id;
	};
	const close = () => {
		editing.value = '';
		item.current?.focus();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.target !== item.current || event.ctrlKey || event.metaKey || event.altKey) return;
		const run = { Enter: () => decide('accepted'), e: edit, s: () => decide('skipped') }[event.key];
		if (!run || isWritten) return;
		event.preventDefault();
		run();
	};
	const name = page.state.value?.languages.find((language) => language.to === to)?.name ?? to;
	return (
		<li
			ref={item}
			class={decision}
			tabIndex={isFirst ? 0 : -1}
			aria-label={`${key}, ${name}`}
			onKeyDown={onKeyDown}
		>
			<div class="head">
				<button
					type="button"
					class="key"
					title={t('reveal', key)}
					aria-label={t('reveal', key)}
					onClick={() => send({ type: 'reveal', id })}
				>
					{key}
				</button>
				<span class="language">{name}</span>
				<Marks row={row} page={page} />
			</div>
			<p class="source" dir="auto">
				{source}
			</p>
			<div class="cell">
				{isEditing ? (
					<Editor
						text={text}
						label={t('editText', key, name)}
						language={to}
						onDone={(value) => {
							if (value !== undefined && value !== text) send({ type: 'edit', id, text: value });
							close();
						}}
						// Who ends with Enter wants the text as it stands there.
						onSame={() => {
							if (canAccept && decision !== 'accepted') decide('accepted');
						}}
					/>
				) : (
					<p class="proposal" dir="auto" lang={text === '' ? undefined : to}>
						{text === '' ? <em>{t('noProposal')}</em> : text}
					</p>
				)}
				{before !== undefined && (
					<p class="until" dir="auto">
						{t('before', before)}
					</p>
				)}
			</div>
			<div class="actions">
				{isWritten ? (
					<span class="state">
						<Icon name="done" /> {t('written')}
					</span>
				) : (
					<>
						<button
							type="button"
							class={decision === 'accepted' ? '' : 'secondary'}
							aria-pressed={decision === 'accepted'}
							disabled={!canAccept}
							onClick={() => decide('accepted')}
						>
							{t(decision === 'accepted' ? 'accepted' : 'accept')}
						</button>
						<button
							type="button"
							class="secondary"
							aria-pressed={decision === 'skipped'}
							onClick={() => decide('skipped')}
						>
							{t(decision === 'skipped' ? 'skipped' : 'skip')}
						</button>
						<IconButton icon="edit" label={t('editText', key, name)} onClick={edit} />
					</>
				)}
			</div>
		</li>
	);
}

/** What speaks for and against a proposal. */
function Marks({ row, page }: { row: ReviewRow; page: ReviewPageState }): VNode {
	const { t } = page;
	const { fault, quality, terms = [], isEdited, text, source, before } = row;
	return (
		<ul class="marks">
			{before !== undefined && <li>{t('changedSource')}</li>}
			{isEdited && <li>{t('edited')}</li>}
			{fault !== undefined && <li class="bad">{t('faulty', fault)}</li>}
			{text !== '' && text.trim() === source.trim() && <li class="bad">{t('unchanged')}</li>}
			{!isEdited && quality !== undefined && (
				<li class={quality < lowQuality ? 'bad' : ''}>{t('quality', Math.round(100 * quality))}</li>
			)}
			{terms.map((term) => (
				<li key={term.source} class={term.isUsed ? '' : 'bad'}>
					{t(term.isUsed ? 'termUsed' : 'termMissing', term.source, term.target)}
				</li>
			))}
		</ul>
	);
}

interface EditorProps {
	readonly text: string;
	readonly label: string;
	readonly language: string;
	/** `undefined`: nothing is changed. */
	readonly onDone: (text: string | undefined) => void;
	/** Ended with Enter, with the text it began with. */
	readonly onSame: () => void;
}

function Editor({ text, label, language, onDone, onSame }: EditorProps): VNode {
	const field = useRef<HTMLTextAreaElement>(null);
	const isDone = useRef(false);
	useEffect(() => {
		field.current?.focus();
		field.current?.select();
	}, []);
	const end = (value: string | undefined) => {
		if (isDone.current) return;
		isDone.current = true;
		onDone(value);
	};
	return (
		<textarea
			ref={field}
			class="proposal"
			lang={language}
			dir="auto"
			aria-label={label}
			rows={Math.min(8, 1 + Math.ceil(text.length / 60))}
			defaultValue={text}
			onBlur={({ currentTarget }) => end(currentTarget.value)}
			onKeyDown={(event) => {
				if (event.isComposing) return;
				if (event.key === 'Escape') end(undefined);
				else if (event.key === 'Enter' && !event.shiftKey) {
					const { value } = event.currentTarget;
					if (value === text) onSame();
					end(value);
				} else return;
				event.preventDefault();
				event.stopPropagation();
			}}
		/>
	);
}
