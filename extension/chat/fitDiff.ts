/** A change as text that is short enough for a model: every file is named, long ones are cut. */

export interface FittedDiff {
	readonly text: string;
	/** Whether something was left out. */
	readonly cut: boolean;
}

/** Cuts a unified diff to about `limit` characters, the same share for every file. */
export function fitDiff(diff: string, limit: number): FittedDiff {
	if (diff.length <= limit) return { text: diff, cut: false };
	const files = diff.split(/^(?=diff --git )/m).filter((part) => part !== '');
	const share = Math.max(80, Math.floor(limit / Math.max(1, files.length)));
	const parts = files.map((file) => {
		const lines = file.split('\n');
		const head = lines.find((line) => line.startsWith('diff --git ')) ?? '';
		const name = / b\/(.+)$/.exec(head)?.[1] ?? head;
		let text = `${name}\n`;
		for (const line of lines) {
			// Unchanged lines and headers say least about what a change does.
			if (!/^[+-](?![+-]{2} )/.test(line)) continue;
			if (text.length + line.length > share) return `${text}…\n`;
			text += `${line}\n`;
		}
		return text;
	});
	return { text: parts.join('').slice(0, limit), cut: true };
}
