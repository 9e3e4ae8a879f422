/** Entry of the page of a recording inside VS Code. */

import './theme.css';
import './transcript.css';
import { render } from 'preact';
import { vscodeBridge } from './bridge.ts';
import { TranscriptPage } from './transcript/transcriptPage.tsx';
import { createTranscriptState, type TranscriptBridge } from './transcript/transcriptState.ts';

const bridge: TranscriptBridge = vscodeBridge();
const page = createTranscriptState(bridge);
const root = document.getElementById('root');
if (root) {
	render(<TranscriptPage page={page} />, root);
	bridge.send({ type: 'ready' });
}
