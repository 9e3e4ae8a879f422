/** Entry of the page that records for an editor in a browser, whose webviews have a microphone. */

import './theme.css';
import './dictation.css';
import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { type MicrophoneMessage, shortClock } from '../server/protocol/index.ts';
import { type Bridge, vscodeBridge } from './bridge.ts';
import { Icon } from './icons.tsx';
import { type Microphone, openMicrophone } from './microphone.ts';
import { microphoneStrings } from './transcriptStrings.ts';

interface Start {
	readonly type: 'start';
	readonly strings: Readonly<Record<keyof typeof microphoneStrings, string>>;
}

/** Samples sent with one message: a quarter of a second at 48 kHz. */
const pieceSamples = 12_000;

const bridge: Bridge<MicrophoneMessage, Start> = vscodeBridge();
const texts = signal<Start['strings']>(microphoneStrings);
const state = signal<'asking' | 'listening' | 'refused'>('asking');
const seconds = signal(0);
/** 0…1. */
const level = signal(0);
let microphone: Microphone | undefined;
let waiting: Int16Array[] = [];
let waitingSamples = 0;

async function start(): Promise<void> {
	try {
		// The worklet lies beside this script.
		const worklet = new URL('./recorderWorklet.js', import.meta.url).href;
		microphone = await openMicrophone(take, worklet);
		state.value = 'listening';
	} catch {
		state.value = 'refused';
		bridge.send({ type: 'refused' });
	}
}

function take(piece: Int16Array): void {
	waiting.push(piece);
	waitingSamples += piece.length;
	let loudest = 0;
	for (const value of piece) loudest = Math.max(loudest, Math.abs(value));
	level.value = loudest / 32_768;
	if (microphone) seconds.value += piece.length / microphone.rateHz;
	if (waitingSamples >= pieceSamples) send();
}

function send(): void {
	if (!microphone || waitingSamples === 0) return;
	const bytes = new Uint8Array(waitingSamples * 2);
	let at = 0;
	for (const piece of waiting) {
		bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength), at);
		at += piece.byteLength;
	}
	waiting = [];
	waitingSamples = 0;
	let text = '';
	for (let from = 0; from < bytes.length; from += 8192)
		text += String.fromCharCode(...bytes.subarray(from, from + 8192));
	bridge.send({ type: 'sound', rate: microphone.rateHz, data: btoa(text) });
}

function finish(): void {
	send();
	void microphone?.close();
	microphone = undefined;
	bridge.send({ type: 'finish' });
}

function Dictation(): VNode {
	const listening = state.value === 'listening';
	return (
		<main class="dictation">
			<span class={listening ? 'lamp on' : 'lamp'} style={{ '--level': String(level.value) }}>
				<Icon name="microphone" />
			</span>
			<h1 aria-live="polite">{texts.value[state.value]}</h1>
			<p class="clock">{shortClock(seconds.value)}</p>
			<button type="button" disabled={!listening} onClick={finish}>
				{texts.value.finish}
			</button>
		</main>
	);
}

bridge.onMessage((message) => {
	if (message.type !== 'start') return;
	texts.value = message.strings;
	void start();
});
const root = document.getElementById('root');
if (root) render(<Dictation />, root);
bridge.send({ type: 'ready' });
