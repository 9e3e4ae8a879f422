/** New messages of all languages, to be accepted, corrected or left out one by one. */

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ReviewRowView } from './reviewRow.tsx';
import { needsCheck, type ReviewPageState, type Shown } from './reviewState.ts';

/** Rows that are drawn at first, and with every further step. */
const step = 100;

export function ReviewPage({ page }: { page: ReviewPageState }): VNode {
	const { state, visible, rows, t } = page;
	const count = useSignal(step);
	const list = useRef<HTMLUListElement>(null);
	const now = state.value;
	const shown = visible.value.slice(0, count.value);
	const left = visible.value.length - shown.length;
	const isQuiet = now !== undefined && now.progress === null;
	return (
		<main class="review">
			<header>
				<h1>
					{t('review')} <code>{now?.source}</code>
				</h1>
				<Filters page={page} />
			</header>
			<Progress page={page} />
			{now?.problem && (
				<p class="problem" role="alert">
					{now.problem}{' '}
					<button type="button" class="secondary" onClick={() => page.send({ type: 'again' })}>
						{t('again')}
					</button>
				</p>
			)}
			{isQuiet && visible.value.length === 0 && (
				<p class="note">{t(rows.value.size === 0 ? 'empty' : 'noMatch')}</p>
			)}
			<ul ref={list} aria-label={t('review')} onKeyDown={(event) => move(event, list.current)}>
				{shown.map((row, index) => (
					<ReviewRowView key={row.id} row={row} page={page} isFirst={index === 0} />
				))}
			</ul>
			{left > 0 && (
				<button
					type="button"
					class="secondary"
					onClick={() => {
						count.value += step;
					}}
				>
					{t('more', Math.min(step, left))}
				</button>
			)}
			{rows.value.size > 0 && <Footer page={page} />}
		</main>
	);
}

function Filters({ page }: { page: ReviewPageState }): VNode {
	const { state, language, shown, words, t } = page;
	const states: readonly (readonly [Shown, string])[] = [
		['all', t('allStates')],
		['open', t('openOnes')],
		['check', t('toCheck')],
		['accepted', t('accepted')],
		['written', t('written')],
	];
	return (
		<div class="filters">
			<select
				aria-label={t('language')}
				value={language.value}
				onChange={({ currentTarget }) => {
					language.value = currentTarget.value;
				}}
			>
				<option value="">{t('allLanguages')}</option>
				{state.value?.languages.map(({ to, name }) => (
					<option key={to} value={to}>
						{name}
					</option>
				))}
			</select>
			<select
				aria-label={t('state')}
				value={shown.value}
				onChange={({ currentTarget }) => {
					shown.value = currentTarget.value as Shown;
				}}
			>
				{states.map(([value, name]) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
			<input
				type="search"
				aria-label={t('find')}
				placeholder={t('find')}
				value={words.value}
				onInput={({ currentTarget }) => {
					words.value = currentTarget.value;
				}}
			/>
		</div>
	);
}

function Progress({ page }: { page: ReviewPageState }): VNode | null {
	const { state, t, send } = page;
	const progress = state.value?.progress;
	if (!progress) return null;
	const { language, done, total } = progress;
	const words = t('translating', language, done, total);
	return (
		<p class="running" role="status">
			<span>{words}</span>
			<progress aria-label={words} {...(total > 0 ? { value: done, max: total } : {})} />
			<button type="button" class="secondary" onClick={() => send({ type: 'stop' })}>
				{t('stop')}
			</button>
		</p>
	);
}

function Footer({ page }: { page: ReviewPageState }): VNode {
	const { visible, accepted, state, t, send } = page;
	// What is doubtful is accepted one by one.
	const ids = visible.value
		.filter((row) => row.decision === 'open' && !needsCheck(row))
		.map(({ id }) => id);
	return (
		<footer>
			<div class="buttons">
				<button
					type="button"
					class="secondary"
					disabled={ids.length === 0}
					onClick={() => send({ type: 'decide', ids, decision: 'accepted' })}
				>
					{t('acceptAll')} ({ids.length})
				</button>
				<button
					type="button"
					disabled={accepted.value === 0}
					onClick={() => send({ type: 'write' })}
				>
					{t('write', accepted.value)}
				</button>
			</div>
			<p class="note" role="status">
				{state.value?.note ?? t('writeHint')}
			</p>
			<p class="note keys">{t('keys')}</p>
		</footer>
	);
}

/** Up and down go from message to message. */
function move(event: KeyboardEvent, list: HTMLUListElement | null): void {
	const { target } = event;
	if (!list || !(target instanceof HTMLElement) || target.tagName !== 'LI') return;
	const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (by === undefined) return;
	const rows = [...list.children];
	const next = rows[rows.indexOf(target) + by];
	if (!(next instanceof HTMLElement)) return;
	event.preventDefault();
	next.focus();
}
