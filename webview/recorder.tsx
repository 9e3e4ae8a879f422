/** The recorder page at `/recorder`: a microphone of this computer, for the editor that opened it. */

import './theme.css';
import './studio.css';
import './recorder.css';
import { type Signal, signal } from '@preact/signals';
import { t } from '@vscode/l10n';
import { render, type VNode } from 'preact';
import { AppError } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import { type Microphone, openMicrophone } from './microphone.ts';
import { loadPageTexts } from './pageTexts.ts';
import { RecorderApi } from './recorderApi.ts';
import { recorderStrings } from './recorderStrings.ts';

type Phase =
	| 'opening'
	| 'ready'
	| 'asking'
	| 'recording'
	| 'paused'
	| 'stopped'
	| 'done'
	| 'discarded'
	| 'failed';

/** A microphone below this for a while is muted. */
const silentLevel = 0.001;
const silentPieces = 30;

const phase: Signal<Phase> = signal('opening');
const problem = signal('');
const level = signal(0);
const silent = signal(false);
const rateHz = signal(48_000);
const progress = signal({ sent: 0, recorded: 0 });
const text = signal('');
let api: RecorderApi | undefined;
let microphone: Microphone | undefined;
let quiet = 0;

/** A text of the page. */
const words = (key: keyof typeof recorderStrings): string => t(recorderStrings[key]);

const over = () => ['done', 'discarded', 'failed'].includes(phase.value);

async function open(): Promise<void> {
	try {
		api = await RecorderApi.open();
		api.onSent = (sent, recorded) => {
			progress.value = { sent, recorded };
		};
		phase.value = 'ready';
		for await (const event of api.events()) {
			if (event.type === 'transcript.text.delta') text.value += event.delta;
			if (event.type !== 'transcript.text.done') continue;
			text.value = event.text;
			phase.value = 'done';
		}
	} catch (error) {
		const refused = error instanceof AppError && error.code === 'forbidden';
		await end(refused ? words('expired') : errorText(error));
	}
}

/** Shows an error, unless the recording is over already. */
async function end(message: string): Promise<void> {
	if (over()) return;
	phase.value = 'failed';
	problem.value = message;
	await microphone?.close();
}

function onPiece(piece: Int16Array): void {
	let peak = 0;
	for (const value of piece) peak = Math.max(peak, Math.abs(value) / 32_768);
	level.value = peak;
	quiet = peak < silentLevel ? quiet + 1 : 0;
	silent.value = quiet >= silentPieces;
	api?.send(piece, rateHz.value);
}

async function start(): Promise<void> {
	problem.value = '';
	phase.value = 'asking';
	try {
		microphone = await openMicrophone(onPiece);
		rateHz.value = microphone.rateHz;
		phase.value = 'recording';
		await api?.sendState('recording');
	} catch (error) {
		const name = error instanceof DOMException ? error.name : '';
		if (over()) return;
		phase.value = 'ready';
		if (name === 'NotAllowedError') problem.value = words('denied');
		else if (['NotFoundError', 'NotReadableError'].includes(name)) problem.value = words('missing');
		else problem.value = errorText(error);
	}
}

async function finish(state: 'stopped' | 'cancelled'): Promise<void> {
	phase.value = state === 'stopped' ? 'stopped' : 'discarded';
	level.value = 0;
	await microphone?.close();
	await api?.sendState(state).catch((error) => end(errorText(error)));
}

async function pause(paused: boolean): Promise<void> {
	if (microphone) microphone.paused = paused;
	level.value = 0;
	phase.value = paused ? 'paused' : 'recording';
	await api
		?.sendState(phase.value as 'paused' | 'recording')
		.catch((error) => end(errorText(error)));
}

function statusOf(shown: Phase): string {
	if (shown === 'opening' || shown === 'failed') return '';
	if (shown === 'recording' && silent.value) return words('silent');
	return words(shown as keyof typeof recorderStrings);
}

function Recorder(): VNode {
	const shown = phase.value;
	const running = shown === 'recording' || shown === 'paused';
	const seconds = progress.value.recorded / rateHz.value;
	return (
		<main class="recorder">
			<h1>{words('title')}</h1>
			<p class="clock" role="timer">
				{clock(seconds)}
			</p>
			<meter
				aria-label={words('level')}
				min={0}
				max={1}
				high={0.97}
				value={shown === 'recording' ? Math.sqrt(level.value) : 0}
			/>
			<div class="row">
				{(shown === 'ready' || shown === 'asking') && (
					<button type="button" disabled={shown === 'asking'} onClick={start}>
						{words('start')}
					</button>
				)}
				{running && (
					<button type="button" onClick={() => finish('stopped')}>
						{words('stop')}
					</button>
				)}
				{running && (
					<button type="button" class="secondary" onClick={() => pause(shown === 'recording')}>
						{shown === 'paused' ? words('resume') : words('pause')}
					</button>
				)}
				{(running || shown === 'ready' || shown === 'stopped') && (
					<button type="button" class="secondary" onClick={() => finish('cancelled')}>
						{words('discard')}
					</button>
				)}
			</div>
			<p role="status">{statusOf(shown)}</p>
			{(running || shown === 'stopped') && (
				<label class="sent">
					{words('sent')}
					<progress value={progress.value.sent} max={Math.max(1, progress.value.recorded)} />
				</label>
			)}
			<section class="heard" aria-label={words('text')} aria-live="polite">
				{text.value}
			</section>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
		</main>
	);
}

function clock(seconds: number): string {
	const whole = Math.floor(seconds);
	return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

async function show(root: HTMLElement): Promise<void> {
	document.documentElement.lang = await loadPageTexts(navigator.languages);
	document.title = words('title');
	const dark = window.matchMedia('(prefers-color-scheme: dark)');
	const paint = () => document.body.classList.toggle('vscode-dark', dark.matches);
	dark.addEventListener('change', paint);
	paint();
	window.addEventListener('pagehide', () => void microphone?.close());
	render(<Recorder />, root);
	await open();
}

const root = document.getElementById('root');
if (root) void show(root);
