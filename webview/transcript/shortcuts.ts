/** Keys of the page: they act where no text is typed and no control takes them. */

import { wordStart } from './place.ts';
import { speeds } from './player.ts';
import type { TranscriptPageState } from './transcriptState.ts';

/** Seconds an arrow key moves by. */
const stepS = 5;

/** Handles a key of the whole page. */
export function handleKey(page: TranscriptPageState, event: KeyboardEvent): void {
	const target = event.target as Element;
	const command = event.ctrlKey || event.metaKey;
	if (command && event.key.toLowerCase() === 'f') {
		event.preventDefault();
		page.findAsked.value++;
		return;
	}
	if (target.closest('input, textarea, select')) return;
	if (event.key === ' ' && target.closest('button')) return;
	const act = command || event.altKey ? commandKey(page, event) : plainKey(page, event);
	if (!act) return;
	event.preventDefault();
	act();
}

function commandKey(page: TranscriptPageState, event: KeyboardEvent): (() => void) | undefined {
	const { send } = page;
	switch (event.key.toLowerCase()) {
		case 'z':
			return () => send({ type: event.shiftKey ? 'redo' : 'undo' });
		case 'y':
			return () => send({ type: 'redo' });
		case 'arrowleft':
			return () => toWord(page, -1);
		case 'arrowright':
			return () => toWord(page, 1);
		default:
			return undefined;
	}
}

function plainKey(page: TranscriptPageState, event: KeyboardEvent): (() => void) | undefined {
	const { player } = page;
	switch (event.key) {
		case ' ':
		case 'k':
			return () => player.toggle();
		case 'ArrowLeft':
			return () => player.seek(player.time.value - stepS);
		case 'ArrowRight':
			return () => player.seek(player.time.value + stepS);
		case 'ArrowUp':
			return () => toLine(page, -1);
		case 'ArrowDown':
			return () => toLine(page, 1);
		case 'Home':
			return () => player.seek(0);
		case 'End':
			return () => player.seek(page.duration.value);
		case '<':
			return () => changeSpeed(page, -1);
		case '>':
			return () => changeSpeed(page, 1);
		case 'e':
		case 'F2':
			return () => editLine(page);
		default:
			return undefined;
	}
}

function toWord({ lines, place, player }: TranscriptPageState, step: 1 | -1): void {
	const start = wordStart(lines.value, place.value, step);
	if (start !== undefined) player.seek(start);
}

function toLine({ lines, place, player }: TranscriptPageState, step: 1 | -1): void {
	const line = lines.value[Math.max(0, place.value.line + step)];
	if (line) player.seek(line.start);
}

function changeSpeed({ player }: TranscriptPageState, step: 1 | -1): void {
	const at = speeds.findIndex((speed) => speed >= player.speed.value);
	const next = speeds[Math.max(0, Math.min(speeds.length - 1, at + step))];
	if (next !== undefined) player.setSpeed(next);
}

function editLine({ lines, place, document, editing }: TranscriptPageState): void {
	const line = lines.value[Math.max(0, place.value.line)];
	if (line && document.value) editing.value = line.id;
}
