/** Play, the waveform, the time and the speed. */

import type { VNode } from 'preact';
import { shortClock } from '../../server/protocol/index.ts';
import { Icon } from '../icons.tsx';
import { speeds } from './player.ts';
import { useTranscript } from './transcriptState.ts';
import { WaveformView } from './waveform.tsx';

export function PlayerBar(): VNode {
	const { player, t } = useTranscript();
	const label = t(player.playing.value ? 'pause' : 'play');
	return (
		<section class="player" aria-label={t('playing')}>
			<button
				type="button"
				class="play"
				aria-label={label}
				title={`${label} (Space)`}
				disabled={player.mute.value}
				onClick={() => player.toggle()}
			>
				<Icon name={player.playing.value ? 'pause' : 'play'} />
			</button>
			<WaveformView />
			<div class="player-facts">
				<Clock />
				<label>
					<span class="visually-hidden">{t('speed')}</span>
					<select
						title={t('speed')}
						value={String(player.speed.value)}
						onChange={(event) => player.setSpeed(Number(event.currentTarget.value))}
					>
						{speeds.map((speed) => (
							<option key={speed} value={String(speed)}>
								{speed}×
							</option>
						))}
					</select>
				</label>
			</div>
			{player.mute.value && <p class="note mute">{t('muted')}</p>}
		</section>
	);
}

/** A component of its own: it changes with every frame. */
function Clock(): VNode {
	const { player, duration } = useTranscript();
	return (
		<span class="clock">
			<span class="now">{shortClock(player.time.value)}</span>
			<span class="dim"> / {shortClock(duration.value)}</span>
		</span>
	);
}
