"""What selects, and a model that does not say what it is."""

from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier


class Undeclared(BaseEstimator):
    """Predicts classes, but does not say that it is a classifier."""

    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y):
        self.tree_ = DecisionTreeClassifier(max_depth=self.depth, random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)
