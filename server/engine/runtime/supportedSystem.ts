/** Systems that ONNX Runtime has libraries for, and what to tell people on others. */

import { cpus, release } from 'node:os';

export interface System {
	readonly platform: string;
	readonly arch: string;
	/** Of the kernel, as `os.release()` has it. */
	readonly release: string;
	/** Name of the processor. */
	readonly processor: string;
	/** Version of glibc, where the system has it. */
	readonly glibc: string | undefined;
}

const supported = /^(?:(?:linux|win32)-(?:x64|arm64)|darwin-arm64)$/;
/** Of Darwin; the libraries ask for macOS 14. */
const oldestDarwin = 23;
const elsewhere =
	'Translate and chat with a team server (docs/team-server.md), or run Nearglot on another machine.';

/** Why no model can run on a system, and what to do; `undefined` where nothing is known to speak against it. */
export function unsupportedReason(system: System): string | undefined {
	const { platform, arch, processor } = system;
	if (platform === 'darwin' && arch === 'x64')
		// The name that Rosetta gives the processor.
		return processor.startsWith('VirtualApple')
			? 'This program is one for Intel, which Rosetta translates: no model can run in it. Install the editor or Node for Apple silicon (arm64) and try again.'
			: `Models do not run on Macs with Intel processors: ONNX Runtime has no library for them. ${elsewhere}`;
	if (!supported.test(`${platform}-${arch}`))
		return `Models do not run on ${platform}-${arch}: ONNX Runtime has no library for it. ${elsewhere}`;
	if (platform === 'darwin' && Number.parseInt(system.release, 10) < oldestDarwin)
		return `Models need macOS 14 or newer; this is Darwin ${system.release}. Update macOS, or use a team server (docs/team-server.md).`;
	if (platform === 'linux' && system.glibc === undefined)
		return `Models need the GNU C library (glibc 2.28 or newer), and this system has another one, as Alpine Linux does. Use a system or an image with glibc, such as Debian's. ${elsewhere}`;
	return undefined;
}

/** The system this process runs on. */
export function thisSystem(): System {
	const { platform, arch } = process;
	const report =
		platform === 'linux'
			? (process.report.getReport() as { header?: { glibcVersionRuntime?: string } })
			: {};
	return {
		platform,
		arch,
		release: release(),
		processor: cpus()[0]?.model ?? '',
		glibc: report.header?.glibcVersionRuntime,
	};
}
