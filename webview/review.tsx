/** Entry of the page on which new messages are looked through. */

import './theme.css';
import './review.css';
import { render } from 'preact';
import { vscodeBridge } from './bridge.ts';
import { ReviewPage } from './review/reviewPage.tsx';
import { createReviewState, type ReviewBridge } from './review/reviewState.ts';

const bridge: ReviewBridge = vscodeBridge();
const page = createReviewState(bridge);
const root = document.getElementById('root');
if (root) {
	render(<ReviewPage page={page} />, root);
	bridge.send({ type: 'ready' });
}
