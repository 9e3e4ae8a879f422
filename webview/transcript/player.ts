/** The sound of the recording: one element that plays, as signals the page can draw. */

import { type Signal, signal } from '@preact/signals';

export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

export interface Player {
	/** Seconds. */
	readonly time: Signal<number>;
	/** Seconds; 0 while unknown. */
	readonly duration: Signal<number>;
	readonly playing: Signal<boolean>;
	readonly speed: Signal<number>;
	readonly ready: Signal<boolean>;
	/** The recording can be played in no form. */
	readonly mute: Signal<boolean>;
	open(url: string): void;
	toggle(): void;
	seek(seconds: number, play?: boolean): void;
	setSpeed(speed: number): void;
	/** Ends the sound. */
	close(): void;
}

/** `onUnplayable` is called once, when the browser refuses the recording as it is. */
export function createPlayer(onUnplayable: () => void): Player {
	const audio = new Audio();
	audio.preload = 'auto';
	const player: Player = {
		time: signal(0),
		duration: signal(0),
		playing: signal(false),
		speed: signal(1),
		ready: signal(false),
		mute: signal(false),
		open: (url) => {
			if (audio.src === url) return;
			player.ready.value = false;
			audio.src = url;
			audio.playbackRate = player.speed.value;
		},
		toggle: () => {
			if (audio.paused) void audio.play().catch(() => undefined);
			else audio.pause();
		},
		seek: (seconds, play = false) => {
			const end = player.duration.value || Number.POSITIVE_INFINITY;
			const time = Math.max(0, Math.min(seconds, end));
			if (player.ready.value) audio.currentTime = time;
			else wanted = time;
			player.time.value = time;
			if (play) void audio.play().catch(() => undefined);
		},
		setSpeed: (speed) => {
			player.speed.value = speed;
			audio.playbackRate = speed;
		},
		close: () => {
			audio.pause();
			audio.removeAttribute('src');
		},
	};
	let wanted: number | undefined;
	let refused = false;
	let frame = 0;
	const tick = () => {
		player.time.value = audio.currentTime;
		frame = requestAnimationFrame(tick);
	};
	const still = () => {
		cancelAnimationFrame(frame);
		player.playing.value = false;
		player.time.value = audio.currentTime;
	};
	audio.addEventListener('loadedmetadata', () => {
		player.ready.value = true;
		if (Number.isFinite(audio.duration)) player.duration.value = audio.duration;
		audio.playbackRate = player.speed.value;
		if (wanted !== undefined) audio.currentTime = wanted;
		wanted = undefined;
	});
	audio.addEventListener('play', () => {
		player.playing.value = true;
		cancelAnimationFrame(frame);
		frame = requestAnimationFrame(tick);
	});
	audio.addEventListener('pause', still);
	audio.addEventListener('ended', still);
	audio.addEventListener('seeked', () => {
		player.time.value = audio.currentTime;
	});
	audio.addEventListener('error', () => {
		if (audio.getAttribute('src') === null) return;
		if (refused) player.mute.value = true;
		else onUnplayable();
		refused = true;
	});
	return player;
}
