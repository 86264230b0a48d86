"""What each interval method costs and where it fails, for the table of the user guide.

N samples, C configurations, F folds, B draws. The estimand of each is an attribute of its class.
"""

COSTS = {
    "bates_nested_cv": "repetitions * F (F + 1) / 2 fits",
    "bayle_cv": "O(N)",
    "bbc": "O(B N C)",
    "bbcf": "O(N C) for the scores per fold, then O(B F C); no draws up to 10 folds",
    "conservative_z": "(2 n_outer + 1) n_inner fits",
    "corrected_t": "O(F)",
    "correlation_adjusted": "O(F)",
    "cvauc": "O(N log N)",
    "delong": "O(N log N)",
    "direct_bootstrap": "B searches",
    "fold_glmm": "a likelihood fit: O(F) per step",
    "hanley_mcneil": "O(N log N) for the area, then O(1)",
    "hierarchical_bootstrap": "O(B N)",
    "mabt": "O(B N) for each candidate, and the search of the tilt, O(B) per step",
    "naive_bootstrap": "O(B F)",
    "nested_cv": "F searches",
    "pooled_bootstrap": "O(B N); 50 times that when studentised",
    "rescaled_bbc": "as BBC, plus all scores in-bag of 512 draws",
    "takahashi": "O(N)",
    "tibshirani": "O(F C)",
    "tilting": "O(B N), and the search of the tilt, O(B) per step",
    "wald": "O(N)",
}

LIMITS = {
    "bates_nested_cv": "few repetitions: the estimated error may be negative and is then set to "
    "its lower limit; fewer than 2 samples a fold, or 3 of a class; groups",
    "bayle_cv": "unstable learners; too narrow for the refitted model or the method; losses that "
    "are nearly equal",
    "bbc": "a class with one sample; wide under imbalance and with few samples; near-perfect "
    "scores at about 50 samples; searches that choose what to try next by the scores",
    "bbcf": "2 folds are refused, fewer than 5 are coarse; one or two samples of a class in a "
    "fold: too narrow; stratified folds and accuracy where a class is badly predicted: too narrow",
    "conservative_z": "fewer than about 40 samples: halves too small; small classes with metrics "
    "that need them in every test set; groups",
    "corrected_t": "few folds: very wide; unequal folds; a heuristic that tends to be too narrow; "
    "stratified folds and accuracy where a class is badly predicted (said)",
    "correlation_adjusted": "2 folds: correlation 0, too narrow; equal scores; scores near 1 "
    "without the logit form; stratified folds as the corrected t",
    "cvauc": "folds without a class are refused, with fewer than about 5 of each it is unstable",
    "delong": "the winner of several; perfect rankings (width 0, marked); predictions of "
    "different folds on different scales",
    "direct_bootstrap": "trains on about 63% of the samples: too low; a class with one sample",
    "fold_glmm": "few folds: their spread is hardly known, very wide; all right or all wrong "
    "(Wilson instead, said)",
    "hanley_mcneil": "areas near 1; small classes; scores far from exponential",
    "hierarchical_bootstrap": "fewer than 5 folds; folds with few samples of a class; the "
    "studentised form with stratified folds where a class is badly predicted",
    "mabt": "few samples of a class, separable or constant scores: no bound (said); needs a "
    "quarter of the data for itself",
    "naive_bootstrap": "always, for the winner of several: that is what it shows",
    "nested_cv": "no valid interval comes with it; the t interval over outer folds is too narrow, "
    "above all when they are stratified",
    "pooled_bootstrap": "ignores folds and training: too narrow after cross-validation; a class "
    "with one sample; fewer than about 20 groups",
    "rescaled_bbc": "experimental; near-perfect scores at about 50 samples; gains nothing for log "
    "loss",
    "takahashi": "scores near 0 or 1; rare classes; a class that is never predicted",
    "tibshirani": "leave-one-out and tiny folds (doubles a loss); many configurations; has no "
    "interval",
    "tilting": "separable or constant scores, a class with one sample: no bound (said); the "
    "winner of several",
    "wald": "ignores folds and training: too narrow after cross-validation; proportions of 0 or "
    "1 in the normal form (width 0, marked)",
}
