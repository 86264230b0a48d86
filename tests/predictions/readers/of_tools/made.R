suppressMessages({library(caret); library(mlr)})
n <- 30
set.seed(1)
two <- data.frame(a = rnorm(n), b = rnorm(n))
two$y <- factor(ifelse(two$a + rnorm(n) > 0, "yes", "no"), levels = c("yes", "no"))
f <- factor(sample(c("u", "v", "w"), n, TRUE))
three <- data.frame(a = rnorm(n) + as.integer(f), b = rnorm(n), y = f)
values <- data.frame(a = rnorm(n), b = rnorm(n))
values$y <- values$a * 2 + rnorm(n)

# The tool's own scores, to 15 digits.
scores <- function(file, table) write.csv(table, paste0(file, "_scores.csv"), row.names = FALSE)
tuned <- function(file, ...) {
  set.seed(1)
  model <- caret::train(y ~ ., ...)
  write.csv(model$pred, paste0(file, ".csv"), row.names = FALSE)
  scores(file, model$results)
}
folds <- function(...) trainControl(number = 3, ...)
roc <- list(method = "cv", savePredictions = "all", classProbs = TRUE, summaryFunction = twoClassSummary)
few <- data.frame(k = c(1, 5))
tuned("caret_two", two, method = "knn", metric = "ROC", tuneGrid = data.frame(k = c(1, 5, 9)), trControl = do.call(folds, roc))
tuned("caret_rpart", two, method = "rpart", metric = "ROC", tuneLength = 3, trControl = do.call(folds, roc))
tuned("caret_repeats", two, method = "knn", tuneGrid = few,
      trControl = folds(method = "repeatedcv", repeats = 2, savePredictions = "all"))
tuned("caret_three", three, method = "knn", tuneGrid = few,
      trControl = folds(method = "cv", savePredictions = "all", classProbs = TRUE))
tuned("caret_values", values, method = "knn", tuneGrid = few, trControl = folds(method = "cv", savePredictions = "all"))
tuned("caret_final", two, method = "knn", tuneGrid = few, trControl = folds(method = "cv", savePredictions = "final"))
tuned("caret_boot", two, method = "knn", tuneGrid = few,
      trControl = trainControl(method = "boot", number = 4, savePredictions = "all"))
tuned("caret_loo", two, method = "knn", tuneGrid = few,
      trControl = trainControl(method = "LOOCV", savePredictions = "all", classProbs = TRUE))
tuned("caret_slices", two, method = "knn", tuneGrid = few,
      trControl = trainControl(method = "timeslice", initialWindow = 15, horizon = 5, skip = 4, savePredictions = "all"))

tree <- function(cp, id) makeLearner("classif.rpart", id = id, predict.type = "prob", cp = cp, minsplit = 5)
trees <- list(tree(0.01, "one"), tree(0.2, "two"))
compared <- function(file, task, learners, desc, measures) {
  set.seed(2)
  run <- benchmark(learners, task, desc, measures = measures, show.info = FALSE)
  write.csv(getBMRPredictions(run, as.df = TRUE), paste0(file, ".csv"), row.names = FALSE)
  scores(file, getBMRAggrPerformances(run, as.df = TRUE))
}
cv <- makeResampleDesc("CV", iters = 3)
compared("mlr_two", makeClassifTask("bc", two, "y"), trees, cv, list(auc, acc))
compared("mlr_repeats", makeClassifTask("bc", two, "y"), trees, makeResampleDesc("RepCV", reps = 2, folds = 3), list(auc))
compared("mlr_three", makeClassifTask("it", three, "y"), trees, makeResampleDesc("CV", iters = 3, predict = "both"), list(acc))
compared("mlr_values", makeRegrTask("r", values, "y"),
         list(makeLearner("regr.rpart", id = "one"), makeLearner("regr.lm", id = "two")), cv, list(rmse))
