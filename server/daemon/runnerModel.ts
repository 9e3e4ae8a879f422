/** A loaded model seen from the daemon: every call goes to its runner. */

import type { ModelDescription } from '../engine/api.ts';
import type { ModelClient } from '../services/host.ts';
import type { RunnerProcess } from './runnerProcess.ts';

export function runnerModel(runner: RunnerProcess, description: ModelDescription): ModelClient {
	return {
		description,
		generate: (request, onEvent, signal) => runner.call('generate', request, onEvent, signal),
		seq2seq: (request, signal) => runner.call('seq2seq', request, undefined, signal),
		transcribe: (request, onText, signal) => runner.call('transcribe', request, onText, signal),
		voiceActivity: (request, signal) => runner.call('voiceActivity', request, undefined, signal),
		segmentSpeakers: (request, signal) =>
			runner.call('segmentSpeakers', request, undefined, signal),
		embedVoice: (request, signal) => runner.call('embedVoice', request, undefined, signal),
		embed: (request, signal) => runner.call('embed', request, undefined, signal),
		rerank: (request, signal) => runner.call('rerank', request, undefined, signal),
		stats: () => runner.call('stats', undefined),
		close: () => runner.close(),
	};
}
