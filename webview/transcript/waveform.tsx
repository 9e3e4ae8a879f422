/** The picture of the sound: shows what is played and what is transcribed, and seeks. */

import { useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shortClock } from '../../server/protocol/index.ts';
import { barsOf } from './bars.ts';
import { useTranscript } from './transcriptState.ts';

/** CSS pixels of a bar and of the gap behind it. */
const barWidth = 2;
const gap = 1;
/** Height of the strip below that shows where there is text. */
const strip = 3;

export function WaveformView(): VNode {
	const { player, waveform, duration, lines, job, t } = useTranscript();
	const canvas = useRef<HTMLCanvasElement>(null);
	const hover = useSignal<number | undefined>(undefined);
	const size = useSignal({ width: 0, height: 0 });
	/** Counts up when the theme changes. */
	const theme = useSignal(0);
	useEffect(() => {
		const element = canvas.current;
		if (!element) return;
		const sizes = new ResizeObserver(() => {
			size.value = { width: element.clientWidth, height: element.clientHeight };
		});
		sizes.observe(element);
		const themes = new MutationObserver(() => {
			theme.value++;
		});
		themes.observe(document.body, { attributes: true, attributeFilter: ['class'] });
		themes.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
		return () => {
			sizes.disconnect();
			themes.disconnect();
		};
	}, [size, theme]);
	useSignalEffect(() => {
		theme.value;
		const element = canvas.current;
		const context = element?.getContext('2d');
		const { width, height } = size.value;
		if (!element || !context || width === 0) return;
		const scale = window.devicePixelRatio || 1;
		element.width = Math.round(width * scale);
		element.height = Math.round(height * scale);
		context.scale(scale, scale);
		const style = getComputedStyle(element);
		const colour = (name: string) => style.getPropertyValue(name).trim();
		const total = duration.value;
		const middle = (height - strip - 2) / 2;
		const played = total > 0 ? (player.time.value / total) * width : 0;
		const bars = barsOf(waveform.value?.peaks ?? [], Math.floor(width / (barWidth + gap)));
		for (const [index, bar] of bars.entries()) {
			const x = index * (barWidth + gap);
			const half = Math.max(0.75, bar * (middle - 1));
			context.fillStyle = x < played ? colour('--played') : colour('--sound');
			context.beginPath();
			context.roundRect(x, middle - half, barWidth, half * 2, 1);
			context.fill();
		}
		if (bars.length === 0) {
			context.fillStyle = colour('--sound');
			context.fillRect(0, middle - 0.5, width, 1);
		}
		if (total > 0) {
			context.fillStyle = colour('--spoken');
			for (const { start, end } of lines.value) {
				const x = (start / total) * width;
				context.fillRect(
					x,
					height - strip,
					Math.max(1, ((end - start) / total) * width - 0.5),
					strip,
				);
			}
			if (job.value?.kind === 'transcribe') {
				context.fillStyle = colour('--done');
				context.fillRect(0, 0, (job.value.done / total) * width, height - strip - 2);
			}
			context.fillStyle = colour('--played');
			context.fillRect(Math.min(width - 1, Math.max(0, played - 0.5)), 0, 1.5, height - strip - 2);
		}
		if (hover.value !== undefined) {
			context.fillStyle = colour('--sound');
			context.fillRect(hover.value, 0, 1, height);
		}
	});
	const secondsAt = (event: PointerEvent) => {
		const element = event.currentTarget as HTMLElement;
		const { left, width } = element.getBoundingClientRect();
		return Math.max(0, Math.min(1, (event.clientX - left) / width)) * duration.value;
	};
	const shown =
		hover.value === undefined ? undefined : (hover.value / size.value.width) * duration.value;
	return (
		<div class="waveform">
			<canvas
				ref={canvas}
				role="slider"
				tabIndex={0}
				aria-label={t('position')}
				aria-valuemin={0}
				aria-valuemax={Math.round(duration.value)}
				aria-valuenow={Math.round(player.time.value)}
				aria-valuetext={t('ago', shortClock(player.time.value), shortClock(duration.value))}
				onPointerDown={(event) => {
					event.currentTarget.setPointerCapture(event.pointerId);
					player.seek(secondsAt(event));
				}}
				onPointerMove={(event) => {
					const { left } = event.currentTarget.getBoundingClientRect();
					hover.value = event.clientX - left;
					if (event.buttons > 0) player.seek(secondsAt(event));
				}}
				onPointerLeave={() => {
					hover.value = undefined;
				}}
			/>
			{shown !== undefined && (
				<span class="hover-time" aria-hidden="true" style={{ left: `${hover.value}px` }}>
					{shortClock(shown)}
				</span>
			)}
		</div>
	);
}
