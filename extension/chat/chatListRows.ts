/** The list of chats as rows: pinned ones, then by day, each with what was found in it. Needs no editor. */

import type { ChatSummary } from './chatStore.ts';

export type ChatGroup = 'pinned' | 'today' | 'yesterday' | 'thisWeek' | 'earlier';

const groups: readonly ChatGroup[] = ['pinned', 'today', 'yesterday', 'thisWeek', 'earlier'];
const dayMs = 86_400_000;
/** Characters shown on each side of what was found. */
const around = 40;

/** Chats that hold the words, in groups that are not empty, each with the newest first. */
export function chatGroups(
	chats: readonly ChatSummary[],
	words: string,
	now: Date,
): (readonly [ChatGroup, readonly ChatSummary[]])[] {
	const wanted = words.trim().toLowerCase();
	const found = chats.filter(
		({ text, title }) =>
			title.toLowerCase().includes(wanted) || text.toLowerCase().includes(wanted),
	);
	return groups
		.map((group) => [group, found.filter((chat) => groupOf(chat, now) === group)] as const)
		.filter(([, members]) => members.length > 0);
}

function groupOf({ pinned, updatedAt }: ChatSummary, now: Date): ChatGroup {
	if (pinned) return 'pinned';
	const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
	const time = new Date(updatedAt).getTime();
	if (time >= midnight) return 'today';
	if (time >= midnight - dayMs) return 'yesterday';
	return time >= midnight - 7 * dayMs ? 'thisWeek' : 'earlier';
}

/** What stands around the words where they are first said, on one line; empty when only the title has them. */
export function excerpt(text: string, words: string): string {
	const wanted = words.trim().toLowerCase();
	const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted);
	if (at === -1) return '';
	const start = Math.max(0, at - around);
	const end = at + wanted.length + around;
	const cut = text.slice(start, end).replace(/\s+/g, ' ').trim();
	return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

/** How long ago something was, as people say it: `5 min. ago`, `yesterday`; a date after a month. */
export function timeAgo(iso: string, now: Date, language: string): string {
	const seconds = (new Date(iso).getTime() - now.getTime()) / 1000;
	const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
	const steps = [
		['minute', 60],
		['hour', 3600],
		['day', 86_400],
		['week', 604_800],
	] as const;
	if (Math.abs(seconds) > 30 * 86_400) return new Date(iso).toLocaleDateString(language);
	const [unit, size] = steps.findLast(([, length]) => Math.abs(seconds) >= length) ?? steps[0];
	return format.format(Math.trunc(seconds / size), unit);
}
