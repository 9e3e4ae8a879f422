/**
 * ONNX Runtime's own telemetry, off. Its published builds for Linux and macOS start an uploader as soon
 * as the library is opened, unless this variable is there by then; the switch of the API leaves the
 * uploader running, and what it has to say about the process goes out before anyone can call it. Builds
 * for Windows do not read the variable: they write trace events of the system, which the switch ends
 * (`DisableTelemetryEvents`, made with the environment).
 * Source: docs/Privacy.md and core/platform/posix/telemetry.cc of ONNX Runtime.
 */

import { isMainThread } from 'node:worker_threads';
import { AppError } from '../../protocol/index.ts';

/** To be in the environment of every process that opens the library. */
export const telemetryOff = { ORT_DISABLE_TELEMETRY: '1' } as const;

/**
 * Turns it off in this process, which must not have opened the library yet.
 * @throws AppError `internal` in a worker: its `process.env` is a copy that the library does not see
 */
export function disableTelemetry(): void {
	const isOff = Object.entries(telemetryOff).every(([name, value]) => process.env[name] === value);
	if (isOff) return;
	if (!isMainThread)
		throw new AppError(
			'internal',
			'ONNX Runtime cannot be opened in a worker of a process whose environment lacks ORT_DISABLE_TELEMETRY=1.',
		);
	Object.assign(process.env, telemetryOff);
}
